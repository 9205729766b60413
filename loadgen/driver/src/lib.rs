//! Scenario to plan to schedule to workflow to transport to samples.
