/** The words about an issue of an account. */
export interface IssueWords {
  /** The sentences, or their beginning, which the title of a Post may follow. */
  readonly before: string
  /** Joins the title to the beginning. */
  readonly joint: " " | " on "
  /** The rest after the title; empty for an issue that names no Post. */
  readonly after: string
  /** True for a decision against the owner, who may object to it. */
  readonly isDecision: boolean
  /** The page on which the owner does something about it. */
  readonly action?: { readonly label: string; readonly path: string }
}

const plain = (before: string): IssueWords => ({ before, joint: " ", after: "", isDecision: false })
const decision = (before: string): IssueWords => ({ ...plain(before), isDecision: true })

/** The words about each issue, by its code. */
const issues: Readonly<Record<string, IssueWords>> = {
  account_restricted: decision(
    "Our moderators restricted your account. You can sign in and read, but nothing of yours is public."
  ),
  account_unrestricted: plain(
    "Your account is no longer restricted. Your posts and comments will be public again in a moment."
  ),
  post_withdrawn: {
    ...decision("Our moderators withdrew your post"),
    after: ". Readers can't see it, and you can't publish it until they restore it."
  },
  post_restored: { ...plain("Our moderators restored your post"), after: ". It's public again." },
  post_restored_as_draft: { ...plain("Our moderators restored your post"), after: ". It's a draft." },
  comment_hidden: {
    ...decision("Our moderators hid your comment"),
    joint: " on ",
    after: ". Readers can't see it."
  },
  comment_restored: {
    ...plain("Our moderators restored your comment"),
    joint: " on ",
    after: ". It's no longer hidden."
  },
  image_rejected: decision("An image you uploaded didn't pass our screening, so it is no longer shown."),
  image_failed: plain(
    "An image you uploaded couldn't be screened, so it is no longer shown. Save it again in your image editor and upload the new file."
  ),
  attachment_rejected: decision(
    "A ZIP file you attached to a post didn't pass our screening, so it was removed from the post."
  ),
  attachment_failed: plain(
    "A ZIP file you attached to a post couldn't be screened, so it was removed from the post. Pack it again and attach the new file."
  ),
  image_held: decision("Our moderators hid an image you uploaded."),
  image_released: plain("Our moderators no longer hide an image you uploaded."),
  attachment_held: decision("Our moderators hid a ZIP file you attached to a post."),
  attachment_released: plain("Our moderators no longer hide a ZIP file you attached to a post."),
  import_finished: plain(
    "The import of your posts is done. Look at what came with it, and publish what you like."
  ),
  schedule_failed: {
    ...plain("Your post"),
    after:
      " wasn't published at the time that you chose. It's still a draft. Open it to see why, then publish it or choose another time.",
    action: { label: "See your posts", path: "/desk/posts" }
  },
  schedule_late: {
    ...plain("Your post"),
    after: " was published later than you chose, because this site was out of order for a while."
  },
  schedules_ended: {
    ...plain(
      "You revoked a Publishing key, so the posts that it scheduled won't be published. Open them to choose another time."
    ),
    action: { label: "See your posts", path: "/desk/posts" }
  },
  payment_lapsed: plain(
    "The network hasn't confirmed one of your payments for seven days. If it ever does, you'll get what you paid for."
  ),
  webhook_failing: {
    ...plain(
      "One of your webhooks has failed for an hour. We'll keep trying for three days. See what your server answers."
    ),
    action: { label: "See your webhooks", path: "/desk/webhooks" }
  },
  webhook_disabled: {
    ...plain(
      "We turned off one of your webhooks, because your server didn't take its events. Fix it, turn it on again, and send what was missed."
    ),
    action: { label: "See your webhooks", path: "/desk/webhooks" }
  },
  obligation_blocked: plain(
    "We owe you money, but your account has no payout address. Save one, and choose it for this payment."
  )
}

const OTHER = plain("Something about your account needs your attention.")

/** Returns the words about an issue; the same for every code that is not known. */
export const issueWordsOf = (code: string): IssueWords =>
  Object.hasOwn(issues, code) ? (issues[code] ?? OTHER) : OTHER
