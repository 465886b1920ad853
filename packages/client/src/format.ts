const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** Formats bytes in powers of 1024, like all limits: 5 GB, 1.5 MB, 17 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  if (unit === 0) return formatCount(Math.round(bytes), 'byte')
  return `${value.toFixed(digits).replace(/\.0$/, '')} ${UNITS[unit]}`
}

/** Formats a number of things: 1 file, 2 files. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** Formats seconds: 0:07, 12:30, 1:02:03. */
export function formatSeconds(seconds: number): string {
  const whole = Math.ceil(seconds)
  const pad = (n: number): string => String(n).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}
