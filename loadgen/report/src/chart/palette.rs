use plotters::style::RGBColor;

/// How a line looks. Colour, dashes and marker each tell lines apart, so a chart can be read
/// without colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    pub(crate) dashed: bool,
    pub(crate) marker: Marker,
}

/// The shape on the points of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marker {
    None,
    Disc,
    Square,
    Triangle,
    Cross,
}

/// The colours of Okabe and Ito, "Color Universal Design" (2008), for dark ink on white, in an
/// order in which neighbours also differ in lightness. Their yellow is too light for a line.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
];

const MARKERS: [Marker; 4] = [
    Marker::Disc,
    Marker::Square,
    Marker::Triangle,
    Marker::Cross,
];

impl Look {
    /// The look of the n-th line: colours come again after 7 lines and markers after 4, both
    /// together after 28.
    pub(crate) fn nth(n: usize) -> Self {
        Self {
            colour: COLOURS[n % COLOURS.len()],
            dashed: false,
            marker: MARKERS[n % MARKERS.len()],
        }
    }

    pub(crate) fn dashed(self) -> Self {
        Self {
            dashed: true,
            ..self
        }
    }

    /// The same with the marker of the n-th line.
    pub(crate) fn marked_as(self, n: usize) -> Self {
        Self {
            marker: MARKERS[n % MARKERS.len()],
            ..self
        }
    }

    pub(crate) fn is_marked(self) -> bool {
        self.marker != Marker::None
    }

    pub(crate) fn unmarked(self) -> Self {
        Self {
            marker: Marker::None,
            ..self
        }
    }
}
