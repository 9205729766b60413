//! Results as one page that needs nothing else: no network, no file beside it, and no script for anything
//! but zooming.

mod assets;
mod blocks;
mod figure;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::blocks::{blocks, table};
use crate::chart::{ChartError, Drawings};
use crate::named::{Named, letter};
use crate::sections::{headline, sections, verdicts, warnings};
use crate::units::{counted, printable};

/// Results as one HTML document: verdict, headline figures, charts, every table of the summary, the
/// machine, what the figures cannot say, how to repeat the run, and the scenario. Several stand side by
/// side. `drawings` are those of the same results.
///
/// Every text of a server or a scenario is escaped, and the page forbids itself to load anything.
///
/// # Errors
/// When a chart cannot be drawn.
pub fn page(results: &[Named<'_>], drawings: &Drawings) -> Result<String, ChartError> {
    let sections = sections(results);
    let title = title(results);
    let figures = drawings
        .plots()
        .iter()
        .filter_map(|(name, plot)| figure::figure(name, plot).transpose())
        .collect::<Result<Vec<Markup>, ChartError>>()?;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(assets::policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(assets::style())) }
            }
            body {
                a.skip href="#main" { "Skip to the figures" }
                header {
                    h1 { (title) }
                    @for warning in warnings(results) { p.warning { strong { "!" } " " (warning) } }
                    (blocks("The verdict", &verdicts(results)))
                }
                nav aria-label="Contents" {
                    h2 { "Contents" }
                    ul {
                        @if results.len() > 1 { li { a href="#results" { "Results" } } }
                        li { a href="#headline" { "Headline figures" } }
                        @if !figures.is_empty() { li { a href="#charts" { "Charts" } } }
                        @for (index, section) in sections.iter().enumerate() {
                            li { a href={ "#s" (index) } { (printable(crate::sections::key(&section.title))) } }
                        }
                    }
                }
                main id="main" {
                    @if results.len() > 1 { (which(results)) }
                    section aria-labelledby="headline" {
                        h2 id="headline" { "Headline figures" }
                        (table("Headline figures; intervals are of 95 %", &headline(results)))
                    }
                    @if !figures.is_empty() {
                        section aria-labelledby="charts" {
                            h2 id="charts" { "Charts" }
                            @for figure in &figures { (figure) }
                        }
                    }
                    @for (index, section) in sections.iter().enumerate() {
                        section aria-labelledby={ "s" (index) } {
                            h2 id={ "s" (index) } { (printable(&section.title)) }
                            (blocks(&section.title, &section.blocks))
                        }
                    }
                }
                footer { (footer(results)) }
                script { (PreEscaped(assets::script())) }
            }
        }
    };
    Ok(page.into_string())
}

fn title(results: &[Named<'_>]) -> String {
    match results {
        [one] => format!("{}: load test", printable(&one.result.scenario.name)),
        several => format!("{} load tests side by side", several.len()),
    }
}

/// What each letter stands for.
fn which(results: &[Named<'_>]) -> Markup {
    let mut rows = crate::table::Table::new(
        1,
        &[
            "",
            "name",
            "scenario",
            "started",
            "seed",
            "scenario SHA-256",
        ],
    );
    for (index, Named { name, result }) in results.iter().enumerate() {
        rows.row(vec![
            letter(index),
            (*name).to_owned(),
            result.scenario.name.clone(),
            result.clock.started_at.clone(),
            result.seed.to_string(),
            result.scenario.sha256.chars().take(12).collect(),
        ]);
    }
    html! {
        section aria-labelledby="results" {
            h2 id="results" { "Results" }
            (table("What the letters stand for", &rows))
        }
    }
}

fn footer(results: &[Named<'_>]) -> Markup {
    let rounds: u64 = results.iter().map(|named| named.result.load.rounds).sum();
    html! {
        p {
            "Made by loadgen from " (counted(results.len() as u64, "result")) " with "
            (counted(rounds, "round")) ". Charts are drawn by plotters and uPlot (MIT). The page loads nothing: it is whole as it is."
        }
    }
}
