import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as ImageDecoderMemory from "../../../layers/testing/ImageDecoderMemory.ts"
import * as KnownMaterialMemory from "../../../layers/testing/KnownMaterialMemory.ts"
import * as ObjectStorages from "../../../layers/testing/ObjectStorageMemory.ts"
import * as Scanners from "../../../layers/testing/ScannerMemory.ts"
import { Administrators } from "../../../src/accounts/administration/Administrators.ts"
import { now } from "../../../src/platform/time/now.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, type ServiceOptions, type TestAnswer } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

/** The saved columns of an operation. */
export interface OperationRow {
  readonly state: string
  readonly next_task: string | null
  readonly due_at: Date
  readonly attempts: number
  readonly retries: number
  readonly failures: number
  readonly last_error: string | null
  readonly staged_bytes: number
  readonly verdict: string | null
  readonly decided_at: Date | null
  readonly engine: string | null
  readonly definitions_version: string | null
  readonly known_material_version: string | null
  readonly policy_version: string
  readonly finding: string | null
}

export const idOf = ({ body }: TestAnswer): string => body.safety.operationId

/** Reads the row of a receipt's operation. */
export const kept = Effect.fnUntraced(function* (sent: TestAnswer) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<OperationRow>`
    select state, next_task, due_at, attempts, retries, failures, last_error, staged_bytes, verdict, decided_at, engine,
      definitions_version, known_material_version, policy_version, finding
    from upload_operations where id = ${idOf(sent)}`
  assert.isDefined(row)
  return row
}, Effect.orDie)

/** Returns the milliseconds until an operation is due. */
export const waitOf = Effect.fnUntraced(function* (sent: TestAnswer) {
  const { due_at } = yield* kept(sent)
  return due_at.getTime() - (yield* now).getTime()
})

/** The keys of all objects of an operation, staged and public. */
export const objectsOf = Effect.fnUntraced(function* (sent: TestAnswer) {
  const memory = yield* ObjectStorages.ObjectStorageMemory
  return [...(yield* memory.objects).keys()].filter((key) => key.includes(idOf(sent))).toSorted()
})

/** The staged file and the public copy of an operation whose image is a PNG. */
export const stagedKey = (sent: TestAnswer) => `staging/${idOf(sent)}.1`
export const publicKey = (sent: TestAnswer) => `media/${idOf(sent)}.png`

/** Makes the scanner work from now on, with definitions of today. */
export const scannerIsBack = Effect.gen(function* () {
  const { setDefinitions } = yield* Scanners.ScannerMemory
  yield* setDefinitions({ engine: "memory", version: "1", publishedAt: yield* now })
})

export const malware = { verdict: "malware", finding: "Eicar-Test-Signature" } as const
export const incomplete = { verdict: "incomplete", finding: "Heuristics.Limits.Exceeded" } as const

/** Screens all waiting operations; the next scan finds malware. */
export const rejecting = Effect.gen(function* () {
  yield* (yield* Scanners.ScannerMemory).answerNext(malware)
  return yield* workOff
})

/** The authority of the administrator in a procedure call. */
export const administrator = Effect.gen(function* () {
  const { authenticate } = yield* Administrators
  return Option.getOrThrow(authenticate(Redacted.make(ADMIN_TOKEN)))
})

/** The ports that several processes share: decoder, known material, object storage and scanner. */
export const world = Layer.build(
  Layer.fresh(
    Layer.mergeAll(ImageDecoderMemory.layer, KnownMaterialMemory.layer, ObjectStorages.layer, Scanners.layer)
  )
)
export type World = Effect.Success<typeof world>

/** Makes a process use the ports of a world. */
export const within = (shared: World): ServiceOptions => ({
  changePorts: (ports) => Layer.provideMerge(Layer.succeedContext(shared), ports)
})

/** Builds the service twice, like two processes, over one fresh database of this name and one world. */
export const twoProcesses = Effect.fnUntraced(function* (name: string) {
  return yield* twoAssemblies(name, within(yield* world))
})

/** Runs each test over its own service, because ports keep the instructions of a test. */
export const alone =
  (name: string) =>
  <A, E, R>(test: Effect.Effect<A, E, R>) =>
    Effect.provide(test, Layer.fresh(service(database(name), 1, { adminToken: ADMIN_TOKEN })))
