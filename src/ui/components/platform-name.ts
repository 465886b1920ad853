const NAMES = { ios: 'iOS', android: 'Android', web: 'Web' }

/** As vendors write it. */
export function platformName(platform: keyof typeof NAMES): string {
  return NAMES[platform]
}
