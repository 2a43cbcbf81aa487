//! Charts in SVG. Their colors are markers that the page replaces, so that charts follow its light or
//! dark colors.

use std::collections::BTreeMap;

use plotters::{
    chart::ChartContext,
    coord::{Shift, types::RangedCoordf64},
    prelude::{
        Cartesian2d, ChartBuilder, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, IntoFont,
        RGBColor, Rectangle, SVGBackend, Text, TextStyle,
    },
    style::{
        Color,
        text_anchor::{HPos, Pos, VPos},
    },
};
use thiserror::Error as ThisError;

/// The width of a chart. The page scales charts to the width of the screen.
const WIDTH: u32 = 400;
/// Size of the text. plotters divides it by 1.24.
const TEXT_SIZE: f64 = 16.0;

/// The colors of recorded, predicted and simulated conversations.
pub(super) const SIMULATED: RGBColor = RGBColor(0x01, 0x01, 0x01);
pub(super) const RECORDED: RGBColor = RGBColor(0x02, 0x02, 0x02);
pub(super) const PREDICTED: RGBColor = RGBColor(0x03, 0x03, 0x03);
/// The color of failures.
pub(super) const FAILED: RGBColor = RGBColor(0x04, 0x04, 0x04);
const INK: RGBColor = RGBColor(0x05, 0x05, 0x05);
const MUTED: RGBColor = RGBColor(0x06, 0x06, 0x06);
const GRID: RGBColor = RGBColor(0x07, 0x07, 0x07);
const TRACK: RGBColor = RGBColor(0x08, 0x08, 0x08);

/// A chart that cannot be drawn.
#[derive(Debug, ThisError)]
#[error("cannot draw a chart: {0}")]
pub(super) struct ChartError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'svg> =
    ChartContext<'a, SVGBackend<'svg>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// A row of a bar chart.
pub(super) struct Row {
    pub(super) label: String,
    /// The text at the end of the row.
    pub(super) value: String,
    /// The bars, as proportions of the width.
    pub(super) bars: Vec<(f64, RGBColor)>,
}

/// Draws horizontal bars, each row below its label.
pub(super) fn bars(rows: &[Row]) -> Result<String, ChartError> {
    const LABEL: i32 = 22;
    const GAP: i32 = 14;
    let bar_height = |row: &Row| if row.bars.len() > 1 { 8 } else { 12 };
    let row_height = |row: &Row| LABEL + (bar_height(row) + 2) * row.bars.len() as i32 + GAP;
    let height = rows.iter().map(row_height).sum::<i32>().max(1) as u32;
    draw(height, |area| {
        let mut top = 0;
        for row in rows {
            text(area, &row.label, (0, top + 2), INK, HPos::Left)?;
            text(area, &row.value, (WIDTH as i32, top + 2), MUTED, HPos::Right)?;
            let mut y = top + LABEL;
            for (proportion, color) in &row.bars {
                let bottom = y + bar_height(row);
                let end = (proportion.clamp(0.0, 1.0) * f64::from(WIDTH)).round() as i32;
                area.draw(&Rectangle::new([(0, y), (WIDTH as i32, bottom)], TRACK.filled()))?;
                if *proportion > 0.0 {
                    area.draw(&Rectangle::new([(0, y), (end.max(2), bottom)], color.filled()))?;
                }
                y = bottom + 2;
            }
            top += row_height(row);
        }
        Ok(())
    })
}

/// How often numbers occur, with the color of the columns.
pub(super) struct Series<'a> {
    pub(super) counts: &'a BTreeMap<usize, usize>,
    pub(super) color: RGBColor,
}

/// The ranges of numbers that share a column.
#[derive(Clone, Copy)]
struct Bins {
    first: usize,
    /// How many numbers share a column.
    width: usize,
    count: usize,
}

impl Bins {
    /// Maximum number of columns of a series.
    const MAX: usize = 24;

    /// Divides the numbers of all series. Returns `None` if there are none.
    fn of(series: &[Series<'_>]) -> Option<Self> {
        let numbers = || series.iter().flat_map(|series| series.counts.keys().copied());
        let (first, last) = (numbers().min()?, numbers().max()?);
        let width = (last - first) / Self::MAX + 1;
        Some(Self { first, width, count: (last - first) / width + 1 })
    }

    /// Returns the numbers of a column as text.
    fn label(self, bin: usize) -> String {
        let start = self.first + bin * self.width;
        if self.width > 1 {
            format!("{start}–{}", start + self.width - 1)
        } else {
            start.to_string()
        }
    }

    /// Returns how many percent of the numbers are in each column.
    fn percentages(self, counts: &BTreeMap<usize, usize>) -> Vec<f64> {
        let total = counts.values().sum::<usize>().max(1) as f64;
        let mut percentages = vec![0.0; self.count];
        for (number, count) in counts {
            if let Some(bin) = percentages.get_mut((number - self.first) / self.width) {
                *bin += *count as f64 * 100.0 / total;
            }
        }
        percentages
    }
}

/// Draws columns: how many percent of the conversations of each series have each number.
pub(super) fn columns(series: &[Series<'_>], x_label: &str) -> Result<String, ChartError> {
    let Some(bins) = Bins::of(series) else { return Ok(String::new()) };
    let percentages: Vec<_> = series.iter().map(|it| bins.percentages(it.counts)).collect();
    let highest = percentages.iter().flatten().copied().fold(1.0, f64::max);
    draw(250, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(4)
            .margin_right(8)
            .x_label_area_size(44)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..bins.count as f64, 0.0..highest * 1.08)?;
        draw_grid(&mut chart)?;
        let part = 0.84 / series.len() as f64;
        for (number, (series, percentages)) in series.iter().zip(&percentages).enumerate() {
            let left = 0.08 + part * number as f64;
            chart.draw_series(percentages.iter().enumerate().map(|(bin, percentage)| {
                let x = bin as f64 + left;
                let corners = [(x, 0.0), (x + part, *percentage)];
                Rectangle::new(corners, series.color.filled())
            }))?;
        }
        draw_labels(area, &chart, bins)?;
        text(area, x_label, (WIDTH as i32 / 2, 230), MUTED, HPos::Center)
    })
}

fn draw_grid(chart: &mut Chart<'_, '_>) -> Result<(), ChartError> {
    chart
        .configure_mesh()
        .disable_x_mesh()
        .disable_x_axis()
        .x_labels(0)
        .y_labels(5)
        .y_label_formatter(&|percent| format!("{percent:.0}%"))
        .label_style(style(MUTED))
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(GRID.mix(0.0))
        .draw()?;
    Ok(())
}

/// Draws the labels of the columns, below their middle. Those of plotters are at the edges.
fn draw_labels(area: &Area<'_>, chart: &Chart<'_, '_>, bins: Bins) -> Result<(), ChartError> {
    let plot = chart.plotting_area();
    let step = bins.count.div_ceil(if bins.width > 1 { 5 } else { 12 });
    for bin in (0..bins.count).step_by(step) {
        let (x, y) = plot.map_coordinate(&(bin as f64 + 0.5, 0.0));
        text(area, &bins.label(bin), (x, y + 6), MUTED, HPos::Center)?;
    }
    Ok(())
}

fn draw(
    height: u32,
    draw: impl FnOnce(&Area<'_>) -> Result<(), ChartError>,
) -> Result<String, ChartError> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
    draw(&area)?;
    area.present()?;
    drop(area);
    Ok(svg)
}

fn style(color: RGBColor) -> TextStyle<'static> {
    ("sans-serif", TEXT_SIZE).into_font().color(&color)
}

fn text(
    area: &Area<'_>,
    text: &str,
    position: (i32, i32),
    color: RGBColor,
    side: HPos,
) -> Result<(), ChartError> {
    let style = style(color).pos(Pos::new(side, VPos::Top));
    Ok(area.draw(&Text::new(text.to_owned(), position, style))?)
}
