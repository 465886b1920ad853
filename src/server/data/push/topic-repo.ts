import { ADMIN_ACTOR, tokenActor } from '../../audit.ts'
import { newId } from '../../ids.ts'
import type { TopicAdministrator, TopicRepo } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'

export function createTopicRepo(db: Db): TopicRepo {
  return {
    async subscribe({ id, epoch = null }, topic, maxPerUser, by) {
      // SHARE: an account that is taken over meanwhile is either changed already, or loses this subscription too.
      const [user] = await db.sql.rows<{ subscriptions: number }>`
        WITH u AS (
          SELECT id, (SELECT count(*) FROM topic_subscriptions s
                      WHERE s.user_id = users.id AND s.topic <> ${topic})::int AS subscriptions
          FROM users WHERE id = ${id}::uuid AND deleted_at IS NULL
            AND (${epoch}::int IS NULL OR session_epoch = ${epoch}::int)
          FOR SHARE),
        added AS (
          INSERT INTO topic_subscriptions (topic, user_id)
          SELECT ${topic}, u.id FROM u WHERE u.subscriptions < ${maxPerUser}::int
          ON CONFLICT (topic, user_id) DO NOTHING RETURNING user_id),
        audited AS (
          INSERT INTO audit_entries (id, action, actor, user_id, address, details)
          SELECT ${newId()}::uuid, 'topic.subscribed', ${actorOf(by)}, added.user_id, ${by?.address ?? null},
            jsonb_build_object('topic', ${topic}::text)
          FROM added WHERE ${by !== undefined})
        SELECT subscriptions FROM u`
      if (!user) return 'noUser'
      return user.subscriptions < maxPerUser ? 'subscribed' : 'tooMany'
    },

    async unsubscribe(userId, topic, by) {
      const [user] = await db.sql.rows<{ id: string }>`
        WITH removed AS (
          DELETE FROM topic_subscriptions WHERE topic = ${topic} AND user_id = ${userId}::uuid RETURNING user_id),
        audited AS (
          INSERT INTO audit_entries (id, action, actor, user_id, address, details)
          SELECT ${newId()}::uuid, 'topic.unsubscribed', ${actorOf(by)}, removed.user_id, ${by?.address ?? null},
            jsonb_build_object('topic', ${topic}::text)
          FROM removed WHERE ${by !== undefined})
        SELECT id FROM users WHERE id = ${userId}::uuid AND deleted_at IS NULL`
      return user !== undefined
    },

    async list(userId) {
      const rows = await db.topicSubscription.findMany({
        where: { userId },
        orderBy: { topic: 'asc' },
        select: { topic: true, createdAt: true },
      })
      return rows.map(({ topic, createdAt }) => ({ topic, subscribedAt: createdAt }))
    },
  }
}

/** Null: the user himself, whose own subscriptions are not audited. */
function actorOf(by: TopicAdministrator | undefined): string | null {
  return by ? (by.token ? tokenActor(by.token.id) : ADMIN_ACTOR) : null
}
