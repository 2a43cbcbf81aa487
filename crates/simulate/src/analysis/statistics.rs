//! Statistics of numbers.

use std::{cmp::Reverse, collections::BTreeMap};

use serde::Serialize;

/// Statistics of the numbers of messages in conversations. All are 0 without conversations.
///
/// ```
/// use mynah_simulate::MessageDistributionStats;
/// let stats = MessageDistributionStats::new([1, 3, 3, 5, 5, 9]);
/// // Of two numbers in the middle, the median is the larger. Of two modes, the smaller counts.
/// assert_eq!((stats.median_messages, stats.mode_messages), (5, 3));
/// assert!((stats.std_dev_messages - 2.494).abs() < 0.001);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MessageDistributionStats {
    /// The smallest number.
    pub min_messages: usize,
    /// The largest number.
    pub max_messages: usize,
    /// The mean.
    pub mean_messages: f64,
    /// The number in the middle of the sorted numbers, or the upper one of two.
    pub median_messages: usize,
    /// The standard deviation of the population.
    pub std_dev_messages: f64,
    /// The most frequent number, or the smallest of them.
    pub mode_messages: usize,
    /// How many conversations have each number of messages.
    pub message_count_distribution: BTreeMap<usize, usize>,
}

impl MessageDistributionStats {
    /// Calculates the statistics of these numbers of messages.
    pub fn new(numbers: impl IntoIterator<Item = usize>) -> Self {
        let mut distribution = BTreeMap::new();
        for number in numbers {
            *distribution.entry(number).or_default() += 1;
        }
        Self::of(distribution)
    }

    /// Calculates the statistics from how often each number occurs.
    pub(super) fn of(distribution: BTreeMap<usize, usize>) -> Self {
        let (Some((min, _)), Some((max, _))) =
            (distribution.first_key_value(), distribution.last_key_value())
        else {
            return Self::default();
        };
        let numbers = || distribution.iter().map(|(number, count)| (*number as f64, *count));
        let mode = distribution.iter().max_by_key(|(number, count)| (**count, Reverse(**number)));
        let (mean, std_dev_messages) = mean_and_deviation(numbers);
        Self {
            min_messages: *min,
            max_messages: *max,
            mean_messages: mean,
            median_messages: median(&distribution),
            std_dev_messages,
            mode_messages: mode.map_or(0, |(number, _)| *number),
            message_count_distribution: distribution,
        }
    }
}

/// Returns the number in the middle, or the upper one of two.
fn median(distribution: &BTreeMap<usize, usize>) -> usize {
    let middle = distribution.values().sum::<usize>() / 2;
    let mut before = 0;
    let found = distribution.iter().find(|(_, count)| {
        before += **count;
        before > middle
    });
    found.map_or(0, |(number, _)| *number)
}

/// Returns the mean and the standard deviation of numbers that occur once or several times.
fn mean_and_deviation<I: Iterator<Item = (f64, usize)>>(numbers: impl Fn() -> I) -> (f64, f64) {
    let total = numbers().map(|(_, count)| count).sum::<usize>().max(1) as f64;
    let mean = numbers().map(|(number, count)| number * count as f64).sum::<f64>() / total;
    let squares = numbers().map(|(number, count)| (number - mean).powi(2) * count as f64);
    (mean, (squares.sum::<f64>() / total).sqrt())
}

/// Statistics of the durations of conversations, in seconds of virtual time. All are 0 without
/// conversations.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DurationStats {
    /// The shortest duration.
    pub min_seconds: f64,
    /// The longest duration.
    pub max_seconds: f64,
    /// The mean.
    pub mean_seconds: f64,
    /// The duration in the middle of the sorted durations, or the upper one of two.
    pub median_seconds: f64,
    /// The standard deviation of the population.
    pub std_dev_seconds: f64,
    /// The sum.
    pub total_seconds: f64,
}

impl DurationStats {
    pub(super) fn new(mut seconds: Vec<f64>) -> Self {
        seconds.sort_by(f64::total_cmp);
        let (Some(min), Some(max)) = (seconds.first(), seconds.last()) else {
            return Self::default();
        };
        let (mean, std_dev_seconds) =
            mean_and_deviation(|| seconds.iter().map(|seconds| (*seconds, 1)));
        Self {
            min_seconds: *min,
            max_seconds: *max,
            mean_seconds: mean,
            median_seconds: seconds.get(seconds.len() / 2).copied().unwrap_or_default(),
            std_dev_seconds,
            total_seconds: seconds.iter().sum(),
        }
    }
}
