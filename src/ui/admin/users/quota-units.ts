/** Administrators set quotas in these. */
export const MB = 1024 * 1024

export const MAX_QUOTA_MB = Number.MAX_SAFE_INTEGER / MB
