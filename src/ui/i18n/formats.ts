import type { Translator } from './translator.ts'

const UNITS = ['kilobytes', 'megabytes', 'gigabytes', 'terabytes'] as const

/** Formats for numbers, sizes and times in the user's region. */
export type Formats = ReturnType<typeof createFormats>

export function createFormats(formatLocale: string, t: Translator) {
  const whole = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 0 })
  const tenths = new Intl.NumberFormat(formatLocale, { maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(formatLocale, { style: 'percent', maximumFractionDigits: 0 })

  /**
   * Formats a size in powers of 1024, like all limits: 5 GB, 1.5 MB, 17 bytes. Part of a `total` has the total's unit once
   * there is one of it, so that a growing number does not change its unit back and forth. From `maxNumber` on, the next
   * unit is used.
   */
  function bytes(count: number, total = count, maxNumber = 1023.95): string {
    let value = count
    let rest = total
    let unit = -1
    while (rest >= maxNumber && unit < UNITS.length - 1) {
      rest /= 1024
      value /= 1024
      unit++
    }
    // As 0 GB or 0.1 GB, it would stand still for long.
    if (value < 1 && count > 0 && count < total) return bytes(count)
    const name = UNITS[unit]
    if (!name) return t('units.bytes', { count })
    return t(`units.${name}`, { value: (value >= 100 ? whole : tenths).format(value) })
  }

  function unit(name: 'second' | 'minute' | 'hour', value: number): string {
    return new Intl.NumberFormat(formatLocale, { style: 'unit', unit: name }).format(value)
  }

  return {
    bytes,
    number: (value: number): string => tenths.format(value),
    /** Formats a fraction from 0 to 1. */
    percent: (fraction: number): string => percent.format(fraction),
    /** Formats a speed. Changes to 1 MB/s after 999 KB/s, because 1 MB/s looks slower than 1,023 KB/s. */
    speed: (bytesPerSecond: number): string =>
      t('units.perSecond', { size: bytes(bytesPerSecond, bytesPerSecond, 999.5) }),
    /** Formats a time left as 45 sec, 110 sec, 12 min or 2 hr 5 min, rounded up. Steps of 5 and 10 seconds flicker less. */
    duration(seconds: number): string {
      if (seconds <= 110) {
        const step = seconds <= 60 ? 5 : 10
        return unit('second', Math.ceil(seconds / step) * step)
      }
      const minutes = Math.ceil(seconds / 60)
      if (minutes < 60) return unit('minute', minutes)
      const rest = minutes % 60
      const hours = unit('hour', Math.floor(minutes / 60))
      return rest === 0 ? hours : `${hours} ${unit('minute', rest)}`
    },
  }
}
