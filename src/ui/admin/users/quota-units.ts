/** Unit in which administrators set quotas, in bytes. */
export const MB = 1024 * 1024

export const MAX_QUOTA_MB = Number.MAX_SAFE_INTEGER / MB
