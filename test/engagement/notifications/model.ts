import type { NotificationType } from "../../../schemas/engagement/notifications/notificationTypes.ts"
import {
  emailKeys,
  type NotificationPreferences,
  type NotificationPreferencesChange,
  preferenceDefaults
} from "../../../schemas/engagement/notifications/Preferences.ts"
import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { DAY_MILLIS } from "../../../src/platform/time/now.ts"

/** A notification as the rules have it. Only one of a type has the same time and recipient. */
export interface Told {
  readonly recipient: OwnerId
  readonly type: NotificationType
  readonly at: Date
  readonly actor: OwnerId | null
  readonly post: PostId | null
  readonly comment: CommentId | null
  readonly follower: OwnerId | null
  data: Readonly<Record<string, unknown>>
  isRead: boolean
}

/** A Comment, and the author of the one that it replies to. */
export interface Said {
  readonly id: CommentId
  readonly post: PostId
  readonly author: OwnerId
  readonly repliesTo: OwnerId | null
  readonly depth: number
  readonly at: Date
  isRemoved: boolean
}

interface Follow {
  readonly follower: OwnerId
  readonly creator: OwnerId
  isOn: boolean
  since: Date
  endedAt: number
}

/** A cause that is still to be told to many. */
type Cause = { readonly said: Said } | { readonly post: PostId; readonly creator: OwnerId; readonly at: Date }

const pairOf = (owner: OwnerId, post: PostId) => `${owner} ${post}`

/** Models what owners hear, by the rules of contract 4.6. Each function is one deed, in the order of its calls. */
export const modelOf = (users: ReadonlyArray<OwnerId>, posts: ReadonlyArray<PostId>) => {
  const notifications: Array<Told> = []
  const comments: Array<Said> = []
  const follows: Array<Follow> = []
  const muted = new Set<string>()
  const preferences = new Map<OwnerId, NotificationPreferences>()
  let waiting: Array<Cause> = []

  const authorOf = (post: PostId) => users[posts.indexOf(post)]!
  const tell = (recipient: OwnerId, type: NotificationType, at: Date, about: Partial<Told>) =>
    notifications.push({
      recipient,
      type,
      at,
      actor: null,
      post: null,
      comment: null,
      follower: null,
      data: {},
      isRead: false,
      ...about
    })
  const tellOfComment = (said: Said, recipient: OwnerId | null, type: NotificationType) => {
    if (recipient === null || recipient === said.author || muted.has(pairOf(recipient, said.post))) return
    tell(recipient, type, said.at, { actor: said.author, post: said.post, comment: said.id })
  }

  const tellDiscussion = (said: Said) => {
    for (const reader of users) {
      const isPart = comments.some(
        (own) => own.author === reader && own.post === said.post && !own.isRemoved && own.at <= said.at
      )
      const heardElse = [said.author, said.repliesTo, authorOf(said.post)].includes(reader)
      if (!isPart || heardElse || muted.has(pairOf(reader, said.post))) continue
      const unread = notifications.find(
        (it) =>
          it.recipient === reader &&
          it.post === said.post &&
          it.type === "commented_post_activity" &&
          !it.isRead
      )
      if (unread !== undefined) unread.data = { count: Number(unread.data["count"]) + 1 }
      else {
        const about = { actor: said.author, post: said.post, comment: said.id, data: { count: 1 } }
        tell(reader, "commented_post_activity", said.at, about)
      }
    }
  }

  const tellCause = (cause: Cause) => {
    if ("said" in cause) return tellDiscussion(cause.said)
    for (const { creator, follower, isOn, since } of follows)
      if (isOn && creator === cause.creator && since <= cause.at)
        tell(follower, "new_post", cause.at, { actor: creator, post: cause.post })
  }

  const followOf = (follower: OwnerId, creator: OwnerId) => {
    const known = follows.find((it) => it.follower === follower && it.creator === creator)
    if (known !== undefined) return known
    const made: Follow = { follower, creator, isOn: false, since: new Date(0), endedAt: -Infinity }
    follows.push(made)
    return made
  }

  return {
    comments,
    preferencesOf: (owner: OwnerId) => preferences.get(owner) ?? preferenceDefaults,
    prefer: (owner: OwnerId, change: NotificationPreferencesChange) =>
      preferences.set(owner, { ...(preferences.get(owner) ?? preferenceDefaults), ...change }),
    mute: (owner: OwnerId, post: PostId, isOn: boolean) =>
      isOn ? muted.add(pairOf(owner, post)) : muted.delete(pairOf(owner, post)),
    say: (said: Said) => {
      comments.push(said)
      tellOfComment(said, said.repliesTo, "comment_reply")
      tellOfComment(said, authorOf(said.post), "new_comment")
      waiting.push({ said })
    },
    follow: (follower: OwnerId, creator: OwnerId, isOn: boolean, at: Date) => {
      const known = followOf(follower, creator)
      if (isOn && !known.isOn) {
        known.since = at
        if (at.getTime() - known.endedAt >= DAY_MILLIS)
          tell(creator, "new_follow", at, { actor: follower, follower })
      }
      if (!isOn && known.isOn) known.endedAt = at.getTime()
      known.isOn = isOn
    },
    publish: (creator: OwnerId, post: PostId, at: Date) => waiting.push({ creator, post, at }),
    issue: (owner: OwnerId, cause: string, at: Date) => {
      const isKnown = notifications.some((it) => it.recipient === owner && it.data["cause"] === cause)
      if (!isKnown) tell(owner, "account_issue", at, { data: { code: "image_rejected", cause } })
    },
    tellWaiting: () => {
      const causes = waiting
      waiting = []
      causes.forEach(tellCause)
    },
    /** Marks the unread notifications of an owner that meet a condition. Returns their number. */
    mark: (owner: OwnerId, matches: (it: Told) => boolean) => {
      const marked = notifications.filter((it) => it.recipient === owner && !it.isRead && matches(it))
      for (const it of marked) it.isRead = true
      return marked.length
    },
    /** The notifications that a feed shows. */
    feed: (owner: OwnerId, includeAll: boolean) => {
      const chosen = preferences.get(owner) ?? preferenceDefaults
      const isShown = ({ type }: Told) => chosen.in_app_notifications && chosen[`${emailKeys[type]}_inapp`]
      return notifications.filter((it) => it.recipient === owner && isShown(it) && (includeAll || !it.isRead))
    }
  }
}
