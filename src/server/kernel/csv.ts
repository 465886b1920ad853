/** Characters that begin a formula in a spreadsheet, which could send data elsewhere when someone opens the file. */
const FORMULA = /^[=+\-@\t\r\n]/

/**
 * Returns a line of CSV (RFC 4180) with its line break. Every value is quoted; one that a spreadsheet would run as a
 * formula begins with an apostrophe (OWASP, CSV injection).
 */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = value === null ? '' : String(value)
    return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
  })
  return `${cells.join(',')}\r\n`
}
