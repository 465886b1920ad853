/** Names of the platforms, as their vendors write them. */
export const PLATFORM_NAMES = { ios: 'iOS', android: 'Android', web: 'Web' } as const
