import { Effect, FileSystem, Option, Path, Schedule } from "effect"

/** Looks for a mail, one after the other. */
const LOOKS = 40

/** Returns the code of a mail to an address, if this is one. */
const codeIn = (mail: string, address: string) =>
  mail.includes(`To: ${address}`) ? Option.fromNullishOr(/^\s*(\d{6})\s*$/m.exec(mail)?.[1]) : Option.none()

/**
 * Makes the reader of the mails that a service of this machine writes to files. It waits for the code in the mail to an
 * address, and returns none if the directory is missing or no mail comes within ten seconds.
 */
export const makeDemoMailbox = Effect.fnUntraced(function* (outbox: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const look = Effect.fnUntraced(function* (address: string) {
    const names = yield* fs.readDirectory(outbox)
    for (const name of names.filter((it) => it.endsWith(".eml"))) {
      const code = codeIn(yield* fs.readFileString(path.join(outbox, name)), address)
      if (Option.isSome(code)) return code
    }
    return Option.none<string>()
  })

  return (address: string) =>
    look(address).pipe(
      Effect.repeat({ until: Option.isSome, times: LOOKS, schedule: Schedule.spaced("250 millis") }),
      Effect.orElseSucceed(() => Option.none<string>())
    )
})
