import type { PreferenceRepo } from '../../../../domain/push/devices/preferences.ts'
import type { Db } from '../../db.ts'

const select = { pushEnabled: true, mutedCategories: true } as const

export function createPreferenceRepo(db: Db): PreferenceRepo {
  return {
    // Without a row, everything is enabled.
    async get(userId) {
      const found = await db.notificationPreference.findUnique({ where: { userId }, select })
      return found ?? { pushEnabled: true, mutedCategories: [] }
    },

    update: (userId, change) =>
      db.notificationPreference.upsert({
        where: { userId },
        create: { userId, ...change },
        update: { ...change, updatedAt: new Date() },
        select,
      }),
  }
}
