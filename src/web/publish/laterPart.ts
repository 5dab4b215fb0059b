import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { Schedule, ScheduleFailureReason } from "../../../schemas/publishing/posts/Schedule.ts"
import { field } from "../../platform/pages/fields.ts"
import { type Html, html } from "../../platform/pages/html.ts"
import { secondsOf } from "../../platform/pages/language.ts"
import { schedulePath } from "../write/writePage.ts"
import { aheadText, type Fold, localOf, NO_ZONE, ZONES, zonedText } from "./localTime.ts"

/** When a post becomes public by itself, and what its author typed about that. */
export interface LaterView {
  readonly schedule: Schedule | null
  readonly at: Date
  /** The zone in which the page shows moments. The script of the page knows that of the browser. */
  readonly zone: string
  /** True for a zone that the author chose. */
  readonly isZoneGiven: boolean
  readonly when: string
  /** The reason for which the moment was refused. */
  readonly wrong: string | undefined
  /** True for a time that comes twice on its day. */
  readonly isTwice: boolean
  /** The one of the two that the author means. */
  readonly fold: Fold
}

/** The value of the button that schedules, and of the one that ends a schedule. */
const LATER = "later"
export const CANCEL = "cancel"

/** The end of a sentence about a post that was not published at its moment. */
export const failureWords: Readonly<Record<ScheduleFailureReason, string>> = {
  profile_incomplete: "your profile lacked a name or a handle.",
  publication_incomplete: "something was missing.",
  withdrawn: "moderators took the post off the site.",
  account_restricted: "moderators had restricted your account.",
  key_revoked: "the key that scheduled it was revoked.",
  key_expired: "the key that scheduled it had expired.",
  changed: "it was changed after it was scheduled.",
  missed: "this site was out of order for more than a day."
}

/** Returns the state of a schedule, before the author changes anything. */
export const laterView = (schedule: Schedule | null, zone: string | undefined, at: Date): LaterView => ({
  schedule,
  at,
  zone: zone ?? NO_ZONE,
  isZoneGiven: zone !== undefined,
  when: schedule?.state === "waiting" ? localOf(schedule.publishAt, zone ?? NO_ZONE) : "",
  wrong: undefined,
  isTwice: false,
  fold: "first"
})

const moment = (at: string, text: string): Html => html`<span data-when="${secondsOf(at)}">${text}</span>`

/** Says when the post becomes public by itself, or why it did not. */
export const scheduled = (id: PostId, { at, schedule, zone }: LaterView): Html | false => {
  if (schedule === null) return false
  const { failure, publishAt } = schedule
  if (failure !== null)
    return html`<div class="state" id="schedule">
      <p>
        It was to be published on ${moment(publishAt, zonedText(publishAt, zone))}, but
        ${failureWords[failure.reason]} It's still a draft. <a href="#later">Choose another time</a>, or
        publish it now.
      </p>
    </div>`
  return html`<div class="state" id="schedule">
    <p>Scheduled: ${moment(publishAt, aheadText(publishAt, zone, at))}. Until then, no one sees it.</p>
    <form class="act" method="post" action="${schedulePath(id)}">
      <a class="button quiet" href="#later">Change</a>
      <button class="button quiet" type="submit" name="act" value="${CANCEL}">Cancel</button>
    </form>
  </div>`
}

const option = (zone: string, chosen: string): Html =>
  zone === chosen
    ? html`<option value="${zone}" selected>${zone.replaceAll("_", " ")}</option>`
    : html`<option value="${zone}">${zone.replaceAll("_", " ")}</option>`

const zoneField = ({ isZoneGiven, zone }: LaterView): Html =>
  field({
    name: "zone",
    label: "Time zone",
    hint: "The clock by which that time counts.",
    control: ({ by }) =>
      html`<select id="zone" name="zone" aria-describedby="${by}" data-given="${isZoneGiven ? "yes" : ""}">
        ${(ZONES.includes(zone) ? ZONES : [zone, ...ZONES]).map((it) => option(it, zone))}
      </select>`
  })

const whenField = ({ schedule, when, wrong }: LaterView): Html =>
  field({
    name: "when",
    label: "Day and time",
    hint: "At most a year ahead.",
    wrong,
    control: ({ by, isInvalid }) =>
      html`<input
        id="when"
        name="when"
        type="datetime-local"
        value="${when}"
        data-at="${wrong === undefined && schedule?.state === "waiting" ? schedule.publishAt : ""}"
        aria-describedby="${by}"
        aria-invalid="${isInvalid}"
      />`
  })

/** Asks which of two moments is meant that have the same time of day. */
const foldField = ({ fold, when }: LaterView): Html => {
  const time = when.slice(11, 16)
  const choice = (value: Fold, text: string) =>
    html`<label class="choice"
      >${value === fold ? html`<input type="radio" name="fold" value="${value}" checked />` : html`<input type="radio" name="fold" value="${value}" />`}
      ${text}</label
    >`
  return html`<fieldset>
    <legend>Which ${time}?</legend>
    ${choice("first", `The first ${time}`)}
    ${choice("second", `The second ${time}, an hour later by most clocks`)}
  </fieldset>`
}

/** The controls with which an author publishes a draft later. They belong to the form of the decisions, which it saves, too. */
export const laterPart = (id: PostId, view: LaterView): Html => {
  const isWaiting = view.schedule?.state === "waiting"
  const content = html`<summary>${isWaiting ? "Change the time" : "Publish later"}</summary>
    ${whenField(view)}${zoneField(view)}${view.isTwice && foldField(view)}
    <p class="hint">
      The post goes public by itself, as it is then. You can change or cancel that until then.
    </p>
    <p class="act">
      <button class="button quiet" type="submit" name="act" value="${LATER}" formaction="${schedulePath(id)}">
        ${isWaiting ? "Change the time" : "Schedule"}
      </button>
    </p>`
  return isWaiting || view.wrong !== undefined || view.isTwice
    ? html`<details id="later" open>${content}</details>`
    : html`<details id="later">${content}</details>`
}
