import { Effect } from "effect"
import { analyzed, type AnalyzedMigration } from "../../layers/postgres/migrations/analyzed.ts"
import { CONTRACT } from "../../layers/postgres/migrations/DatabaseSchema.ts"
import { type Lock, WAITING } from "../../layers/postgres/migrations/Lock.ts"
import { concurrentIndexOf, type Migration } from "../../layers/postgres/migrations/Migration.ts"

/** The last file of the baseline. It runs on empty databases, on which nothing waits. */
const BASELINE = 8

const REPEATABLE = /\bif\s+(?:not\s+)?exists\b/i

const faultsOf = ({ isOutsideTransaction, statements, title }: AnalyzedMigration): ReadonlyArray<string> => {
  const isWaitedFor = ({ mode }: Lock) => WAITING[mode] !== "nothing"
  const lockedBy = statements.map(({ locks }) =>
    (locks ?? []).filter(isWaitedFor).map(({ relation }) => relation)
  )
  const locked = new Set(lockedBy.flat())
  const isLongAfterLock = statements.some(
    ({ locks }, index) =>
      (locks ?? []).some((it) => it.work !== null && !isWaitedFor(it)) &&
      lockedBy.some((relations, other) => other < index && relations.length > 0)
  )
  // A foreign key locks two tables by itself.
  const isSplittable = lockedBy.every((relations) => new Set(relations).size < locked.size)
  return [
    ...statements.flatMap(({ locks, removes, text }) => [
      ...(locks === null ? ["Its locks are not known. Add this kind of statement to locks.ts."] : []),
      ...new Set((locks ?? []).flatMap(({ instead }) => (instead === null ? [] : [instead]))),
      ...(removes !== null && !title.includes(`_${CONTRACT}`)
        ? [`It takes away ${removes}. Name the file "contract_…" once no release in use needs it.`]
        : []),
      ...(isOutsideTransaction && concurrentIndexOf(text) === undefined
        ? ["It shares a migration with a concurrent statement. Put each into a migration of its own."]
        : []),
      ...(concurrentIndexOf(text) !== undefined && !REPEATABLE.test(text)
        ? ["It cannot be repeated. Add if not exists, or if exists."]
        : [])
    ]),
    ...(isLongAfterLock
      ? ["It holds a lock for which requests wait while it reads rows. Write a migration for each."]
      : []),
    ...(locked.size > 1 && isSplittable
      ? [`It locks ${[...locked].join(", ")} until all of it is done. Write a migration for each.`]
      : [])
  ]
}

/** Returns what is wrong with the migrations after the baseline, by the names of their files. */
export const lintMigrations = Effect.fnUntraced(function* (migrations: ReadonlyArray<Migration>) {
  const all = yield* analyzed(migrations)
  return all
    .filter((_, index) => (migrations[index]?.id ?? 0) > BASELINE)
    .flatMap((migration) => faultsOf(migration).map((fault) => `${migration.title}: ${fault}`))
})
