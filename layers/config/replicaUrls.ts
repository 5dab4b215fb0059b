import { type Redacted, Result } from "effect"
import { parseHosts } from "./hosts.ts"

/** A standby of the database. */
export interface ReplicaUrl {
  /** Host and port, which is all that logs and metrics show of it. */
  readonly name: string
  readonly url: Redacted.Redacted
}

/** Stands between two URLs. A URL itself may have commas. */
const BETWEEN = /[\s,]+(?=postgres(?:ql)?:\/\/)/u

/** Matches a URL that runs on into another one, which lacks its scheme. */
const RUNS_ON = /\s|:\/\/[^/]*\/[^?]*,/u

/** Reads URLs of one host each, with commas or spaces between. Fails with the reason, which repeats nothing of them. */
export const parseReplicaUrls = (text: string): Result.Result<ReadonlyArray<ReplicaUrl>, string> =>
  Result.gen(function* () {
    const replicas: Array<ReplicaUrl> = []
    for (const part of text.replaceAll(/^[\s,]+|[\s,]+$/gu, "").split(BETWEEN)) {
      if (RUNS_ON.test(part))
        return yield* Result.fail("after a comma or a space, one does not begin with postgres://")
      const { all, isChosen } = yield* Result.mapError(parseHosts(part), (problem) => `of one, ${problem}`)
      const [{ name: host, port, url }] = all
      if (isChosen)
        return yield* Result.fail(
          "one names several hosts or has target_session_attrs: give each standby a URL of its own"
        )
      const name = `${host}:${port}`
      const before = replicas.filter((other) => other.name.split("#")[0] === name).length
      replicas.push({ name: before === 0 ? name : `${name}#${before + 1}`, url })
    }
    return replicas
  })
