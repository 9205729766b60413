/// A multiplicative congruential generator (L'Ecuyer 1999, table 4) with a mixing step: enough for
/// a simulation, and the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Between 0 and 1, neither included.
    pub(crate) fn uniform(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(3_935_559_000_370_003_845)
            .wrapping_add(1);
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        ((mixed >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Standard normal (Box and Muller, Annals of Mathematical Statistics 29, 1958).
    #[cfg(test)]
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    #[cfg(test)]
    pub(crate) fn exponential(&mut self, mean: f64) -> f64 {
        -self.uniform().ln() * mean
    }
}
