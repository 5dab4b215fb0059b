import { type Html, html } from "../../platform/pages/html.ts"
import type { Page } from "../../platform/pages/layout.ts"
import type { Room } from "../../platform/ports/DiskSpace.ts"
import { COUNTED_MAX, type HealthRow } from "./health.sql.ts"
import { facts, HEALTH, roomPage } from "./parts.ts"
import { minute } from "./words.ts"

/** The state of the service. */
export interface HealthView {
  readonly row: HealthRow
  readonly ledger: "answers" | "away" | "development" | "off"
  readonly disk: Room | undefined
  /** Seconds for which the oldest due row of each kind of work has waited. */
  readonly overdue: ReadonlyMap<string, number>
}

const GIB = 1024 ** 3

/** Seconds after which work that is due is late. Workers look every five seconds. */
const LATE_SECONDS = 10

const waiting = (count: number, oldest: string | null): Html | string => {
  if (count === 0 || oldest === null) return "None"
  const shown =
    count > COUNTED_MAX ? `More than ${COUNTED_MAX.toLocaleString("en")}` : count.toLocaleString("en")
  return html`${shown}, the oldest of ${minute(oldest)}`
}

const ledgers: Readonly<Record<HealthView["ledger"], string>> = {
  answers: "Answers",
  away: "Unavailable: payments wait, and none are lost",
  development: "Development ledger, with play money",
  off: "Off: nothing can be bought"
}

const last = ({ last_purchase, last_tip }: HealthRow): Html | string => {
  const [newest] = [last_purchase, last_tip]
    .filter((at) => at !== null)
    .toSorted()
    .toReversed()
  return newest === undefined ? "None yet" : minute(newest)
}

const disk = (room: Room | undefined): string => {
  if (room === undefined) return "Unknown"
  const { freeBytes, totalBytes } = room
  const share = Math.round((100 * freeBytes) / totalBytes)
  return `${(freeBytes / GIB).toFixed(1)} GiB (${share} %)`
}

const late = (overdue: HealthView["overdue"]): string => {
  const kinds = [...overdue].filter(([, seconds]) => seconds >= LATE_SECONDS)
  return kinds.length === 0
    ? "None"
    : kinds.map(([kind, seconds]) => `${kind} for ${Math.round(seconds).toLocaleString("en")} s`).join(", ")
}

/** Returns the page that tells a moderator how the service is. */
export const healthPage = ({ disk: room, ledger, overdue, row }: HealthView): Page =>
  roomPage({
    title: "Health",
    section: HEALTH,
    told: null,
    content: html`${facts("Health", [
        ["Reports without a decision", waiting(row.reports, row.oldest_report)],
        ["Uploads held or late", waiting(row.uploads, row.oldest_upload)],
        ["Mails in the outbox", waiting(row.mails, row.oldest_mail)],
        ["Payments without an outcome", waiting(row.settlements, row.oldest_settlement)],
        ["Nano ledger", ledgers[ledger]],
        ["Last payment seen on the ledger", last(row)],
        ["Free on the disk of the data directory", disk(room)],
        ["Work that is late", late(overdue)]
      ])}
      <p class="note">Times are in UTC. The operator can see more in the service's metrics.</p>`
  })
