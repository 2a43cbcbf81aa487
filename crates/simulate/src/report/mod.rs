//! The report of a run as one HTML file, which needs neither a network nor scripts.

// text           texts of numbers and times
// charts         charts in SVG
// select         chooses the conversations that the report shows
// transcript     the conversations in the report
// tables         the tables and figures
// page           the page

mod charts;
mod page;
mod select;
mod tables;
mod text;
mod transcript;

pub use self::page::write_html;
