import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  FEED_LIMIT,
  type Notification,
  type NotificationContext
} from "../../../schemas/engagement/notifications/Notification.ts"
import { type OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Notifications } from "../../../src/engagement/notifications/feed/Notifications.ts"
import { PostMutes } from "../../../src/engagement/notifications/mutes/PostMutes.ts"
import { Preferences } from "../../../src/engagement/notifications/preferences/Preferences.ts"
import { now, wireTime } from "../../../src/platform/time/now.ts"
import { Notices } from "../../../src/publishing/posts/Notices.ts"
import { insertPost, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { deeds, personOf } from "./deeds.ts"
import { tellSome } from "./fanout/crowd.ts"
import { modelOf, type Said, type Told } from "./model.ts"
import { POSTS, scripts, type Step, USERS } from "./modelScripts.ts"
import { numbered } from "./reader.ts"

/** Small, so that the feeds of the end have several pages. */
const PAGE = 4

const keyOf = (type: string, at: string) => `${at} ${type}`
const keyOfTold = ({ at, type }: Told) => keyOf(type, wireTime(at))

/** A notification as readers see it, but for its id and the time of its mark. */
const seenOf = (it: Notification) => ({
  key: keyOf(it.type, it.created_at),
  actor: it.actor?.id ?? null,
  post: it.post_id,
  comment: it.comment_id,
  follower: it.follower_id,
  data: it.data,
  isRead: it.read_at !== null
})

const expectedOf = (it: Told) => ({
  key: keyOfTold(it),
  actor: it.actor,
  post: it.post,
  comment: it.comment,
  follower: it.follower,
  data: it.data,
  isRead: it.isRead
})

const byKey = (a: { readonly key: string }, b: { readonly key: string }) => (a.key < b.key ? -1 : 1)

let numbers = 0

/** Plays a script, and compares the feed of an owner with the model after each step, and of all in the end. */
const play = Effect.fnUntraced(function* (script: ReadonlyArray<Step>, users: ReadonlyArray<OwnerId>) {
  const notifications = yield* Notifications
  const preferences = yield* Preferences
  const mutes = yield* PostMutes
  const notices = yield* Notices
  const { comment, follow, removeComment } = yield* deeds
  const posts: Array<PostId> = []
  for (let n = 0; n < POSTS; n++) posts.push(yield* insertPost(++numbers, users[n]!, "published"))
  const model = modelOf(users, posts)

  /** Reads a feed by pages. */
  const feedOf = Effect.fnUntraced(function* (owner: OwnerId, includeAll: boolean, limit: number) {
    const rows: Array<Notification> = []
    const expected = model.feed(owner, includeAll).length
    const unread = model.feed(owner, false).length
    for (let hasMore = true; hasMore;) {
      const page = yield* notifications.feed(sessionOf(owner), {
        limit,
        offset: rows.length,
        includeAll
      })
      assert.deepStrictEqual([page.total, page.unread], [expected, unread])
      const { notify_sales: _, ...booleans } = model.preferencesOf(owner)
      assert.deepStrictEqual(page.preferences, booleans)
      rows.push(...page.notifications)
      hasMore = page.pagination.hasMore
    }
    return rows
  })

  const compare = Effect.fnUntraced(function* (owner: OwnerId, limit: number) {
    for (const includeAll of [false, true]) {
      const rows = yield* feedOf(owner, includeAll, limit)
      const times = rows.map(({ created_at }) => created_at)
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      assert.deepStrictEqual(
        rows.map(seenOf).toSorted(byKey),
        model.feed(owner, includeAll).map(expectedOf).toSorted(byKey)
      )
    }
  })

  const say = Effect.fnUntraced(function* (author: OwnerId, post: PostId, parent?: Said) {
    const at = yield* now
    const id = yield* comment(author, post, parent?.id)
    const depth = parent === undefined ? 0 : parent.depth + 1
    model.say({ id, post, author, repliesTo: parent?.author ?? null, depth, at, isRemoved: false })
  })

  const act = Effect.fnUntraced(function* (it: Step) {
    const at = yield* now
    switch (it.do) {
      case "comment":
        return yield* say(users[it.user]!, posts[it.post]!)
      case "reply": {
        const parent = model.comments.at(-1 - it.of)
        if (parent === undefined || parent.isRemoved || parent.depth === 4) return
        return yield* say(users[it.user]!, parent.post, parent)
      }
      case "remove": {
        const said = model.comments.at(-1 - it.of)
        if (said === undefined) return
        said.isRemoved = true
        return yield* removeComment(said.author, said.id)
      }
      case "follow": {
        if (it.user === it.creator) return
        model.follow(users[it.user]!, users[it.creator]!, it.isOn, at)
        return yield* follow(users[it.user]!, users[it.creator]!, it.isOn)
      }
      case "publish": {
        const post = PostId.make(numbered(++numbers))
        model.publish(users[it.user]!, post, at)
        return yield* notices.published({ isMailed: true, postId: post, authorId: users[it.user]!, at })
      }
      case "issue": {
        const cause = `cause ${it.of}`
        model.issue(users[it.user]!, cause, at)
        return yield* notices.accountIssue({ ownerId: users[it.user]!, code: "image_rejected", cause, at })
      }
      case "mute":
        model.mute(users[it.user]!, posts[it.post]!, it.isOn)
        return yield* mutes.save(sessionOf(users[it.user]!), posts[it.post]!, { muted: it.isOn })
      case "prefer": {
        const change = { [it.key]: it.isOn }
        model.prefer(users[it.user]!, change)
        const saved = yield* preferences.save(sessionOf(users[it.user]!), change)
        return assert.deepStrictEqual(saved, model.preferencesOf(users[it.user]!))
      }
      case "markIds": {
        const shown = yield* feedOf(users[it.user]!, true, FEED_LIMIT.maximum)
        const chosen = it.places.flatMap((place) => shown[place] ?? [])
        const chosenKeys = new Set(chosen.map(({ created_at, type }) => keyOf(type, created_at)))
        const { updated } = yield* notifications.markRead(
          sessionOf(users[it.user]!),
          chosen.map(({ id }) => id)
        )
        const expected = model.mark(users[it.user]!, (told) => chosenKeys.has(keyOfTold(told)))
        return assert.strictEqual(updated, expected)
      }
      case "markContext": {
        const [post, follower] = [posts[it.post]!, users[it.other]!]
        const contexts: Readonly<Record<typeof it.by, NotificationContext>> = {
          post: { postId: post },
          follower: { follower_id: follower },
          types: { types: it.types },
          postAndTypes: { post_id: post, types: it.types }
        }
        const { updated } = yield* notifications.markContextRead(sessionOf(users[it.user]!), contexts[it.by])
        const ofType = (told: Told) => it.types.some((type) => type === told.type)
        const matches = {
          post: (told: Told) => told.post === post,
          follower: (told: Told) => told.follower === follower,
          types: ofType,
          postAndTypes: (told: Told) => told.post === post && ofType(told)
        }
        return assert.strictEqual(updated, model.mark(users[it.user]!, matches[it.by]))
      }
      case "markAll": {
        const { updated } = yield* notifications.markAllRead(sessionOf(users[it.user]!))
        return assert.strictEqual(
          updated,
          model.mark(users[it.user]!, () => true)
        )
      }
      case "tell":
        model.tellWaiting()
        // The oldest first, so that the first Comment of merged news is that of the model.
        return yield* Effect.repeat(tellSome(1), { while: (told) => told > 0 })
      case "wait":
        return yield* TestClock.adjust(`${it.hours} hours`)
    }
  })

  for (const [n, it] of [...script, { do: "tell" } as const].entries()) {
    yield* TestClock.adjust("1 second")
    yield* act(it)
    yield* compare(users[n % USERS]!, FEED_LIMIT.maximum)
  }
  for (const owner of users) yield* compare(owner, PAGE)
})

layer(service(database("test_notifications_model")))("notifications of a random script", (it) => {
  for (const [n, script] of scripts.entries())
    it.effect(`The notifications of random script ${n + 1} equal the model`, () =>
      Effect.gen(function* () {
        const users = Array.from({ length: USERS }, (_, user) => 1 + n * USERS + user)
        yield* play(script, yield* Effect.forEach(users, personOf))
      })
    )
})
