//! Charts in SVG. Their colors are markers that the page replaces, so that charts follow its light or
//! dark colors.

use std::collections::BTreeMap;

use plotters::{
    coord::Shift,
    prelude::{
        ChartBuilder, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea, IntoFont, RGBColor,
        Rectangle, SVGBackend, Text, TextStyle,
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

/// Draws columns: how many percent of the conversations of each series have each number.
pub(super) fn columns(series: &[Series<'_>], x_label: &str) -> Result<String, ChartError> {
    /// Maximum number of columns of a series.
    const COLUMNS: usize = 24;
    let numbers = || series.iter().flat_map(|series| series.counts.keys().copied());
    let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else {
        return Ok(String::new());
    };
    let width = (last - first) / COLUMNS + 1;
    let bins = (last - first) / width + 1;
    let all: Vec<_> = series.iter().map(|it| percentages(it.counts, first, width, bins)).collect();
    let highest = all.iter().flatten().copied().fold(1.0, f64::max);
    draw(250, |area| {
        let mut chart = ChartBuilder::on(area)
            .margin(4)
            .margin_right(8)
            .x_label_area_size(44)
            .y_label_area_size(44)
            .build_cartesian_2d(0.0..bins as f64, 0.0..highest * 1.08)?;
        let label = |bin: &f64| {
            let start = first + *bin as usize * width;
            if width > 1 { format!("{start}–{}", start + width - 1) } else { start.to_string() }
        };
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
        for (number, (series, percentages)) in series.iter().zip(&all).enumerate() {
            let part = 0.84 / all.len() as f64;
            let left = 0.08 + part * number as f64;
            chart.draw_series(percentages.iter().enumerate().map(|(bin, percentage)| {
                let x = bin as f64 + left;
                let corners = [(x, 0.0), (x + part, *percentage)];
                Rectangle::new(corners, series.color.filled())
            }))?;
        }
        // The labels of plotters are at the edges of columns.
        let plot = chart.plotting_area();
        let step = bins.div_ceil(if width > 1 { 5 } else { 12 });
        for bin in (0..bins).step_by(step) {
            let (x, y) = plot.map_coordinate(&(bin as f64 + 0.5, 0.0));
            text(area, &label(&(bin as f64)), (x, y + 6), MUTED, HPos::Center)?;
        }
        text(area, x_label, (WIDTH as i32 / 2, 230), MUTED, HPos::Center)
    })
}

/// Returns how many percent of the numbers are in each range of `width` numbers.
fn percentages(
    counts: &BTreeMap<usize, usize>,
    first: usize,
    width: usize,
    bins: usize,
) -> Vec<f64> {
    let total = counts.values().sum::<usize>().max(1) as f64;
    let mut percentages = vec![0.0; bins];
    for (number, count) in counts {
        if let Some(bin) = percentages.get_mut((number - first) / width) {
            *bin += *count as f64 * 100.0 / total;
        }
    }
    percentages
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
