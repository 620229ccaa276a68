/// Rows in columns as wide as their widest cell, for a person or for `awk`.
struct Table {
  private let rows: [[String]]

  /// Each row has as many cells as `titles`.
  init(_ titles: [String], _ rows: [[String]]) { self.rows = [titles] + rows }

  /// One line a row, without spaces at its end.
  var text: String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = zip(row, widths).map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
