import { Effect, type FileSystem, type Path } from "effect"
import { type Environment, readEnvironment } from "../config/environment.ts"
import { appearanceCheck } from "./appearance.ts"
import { collectorCheck } from "./collector.ts"
import { databaseCheck } from "./database.ts"
import { diskCheck } from "./disk.ts"
import { about, type Finding } from "./Finding.ts"
import { ledgerCheck } from "./ledger.ts"
import { limitsCheck } from "./limits.ts"
import { mailCheck } from "./mail.ts"
import { mailPaceCheck } from "./mailPace.ts"
import { processesCheck } from "./processes.ts"
import { readsCheck } from "./reads.ts"
import { scannerCheck } from "./scanner.ts"
import { siteCheck } from "./site.ts"
import { storageCheck } from "./storage.ts"

const { fault, ok } = about("configuration")

/** Checks the world that a valid configuration names. */
export const examineWorld = (
  environment: Environment
): Effect.Effect<ReadonlyArray<Finding>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.map(
    Effect.all(
      [
        databaseCheck(environment),
        readsCheck(environment),
        processesCheck(environment),
        diskCheck(environment),
        storageCheck(environment),
        scannerCheck(environment),
        mailCheck(environment),
        mailPaceCheck(environment),
        limitsCheck(environment),
        ledgerCheck(environment),
        siteCheck(environment),
        appearanceCheck(environment),
        collectorCheck(environment)
      ],
      { concurrency: "unbounded" }
    ),
    (found) => found.flat()
  )

/** Checks the configuration and the world that it names. Starts nothing and changes nothing that stays. */
export const examine = Effect.matchEffect(readEnvironment, {
  onFailure: ({ message }) =>
    Effect.succeed(
      message
        .split("\n")
        .slice(1)
        .map((line) => fault(line.trim(), "Correct the variable. layers/README.md describes every variable."))
    ),
  onSuccess: (environment) =>
    Effect.map(examineWorld(environment), (found) => [ok("Every variable has a valid value."), ...found])
})
