/// A date and time as MS-DOS keeps them: two seconds fine, from 1980 on, without a time zone (APPNOTE 4.4.6).
struct DOSTime {
  let year: Int64
  let month: Int64
  let day: Int64
  let hour: Int64
  let minute: Int64
  let second: Int64

  /// Date in the upper half, time in the lower. What is no date becomes the nearest one.
  init(_ bits: UInt32) {
    func field(_ shift: UInt32, _ width: UInt32) -> Int64 { Int64(bits >> shift & (1 << width - 1)) }
    year = 1980 + field(25, 7)
    month = min(max(field(21, 4), 1), 12)
    day = max(field(16, 5), 1)
    hour = min(field(11, 5), 23)
    minute = min(field(5, 6), 59)
    second = min(2 * field(0, 5), 59)
  }

  /// Seconds since 1970, were it UTC.
  var unixSeconds: Int64 {
    // Years begin in March here, so that a leap day is the last of its year.
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }
}
