import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { MailerMemory } from "../../layers/testing/MailerMemory.ts"
import * as NanoLedgerMemory from "../../layers/testing/NanoLedgerMemory.ts"
import { Mails } from "../../src/platform/mail/Mails.ts"
import { NanoLedger } from "../../src/platform/ports/NanoLedger.ts"
import { Doorbells } from "../../src/platform/work/Doorbells.ts"
import { freshDatabase } from "./Database.ts"
import { processOver, type ServiceOptions, TestClient } from "./TestClient.ts"

/**
 * Builds the service twice, like two processes, over one fresh database of this name and one ledger. Both end with the
 * scope.
 */
export const twoAssemblies = Effect.fnUntraced(function* (name: string, options: ServiceOptions = {}) {
  const url = yield* freshDatabase(name)
  const ledger = Layer.succeedContext(yield* Layer.build(Layer.fresh(NanoLedgerMemory.layer)))
  const { changePorts = (unchanged) => unchanged } = options
  const shared: ServiceOptions = {
    ...options,
    changePorts: (ports) => Layer.merge(changePorts(ports), ledger)
  }
  return yield* Effect.all([processOver(url, 1, shared), processOver(url, 2, shared)])
}, Effect.orDie)

/**
 * The whole service twice over one fresh database, like two processes behind one address. `TestClient` sends to each in
 * turn. Mail of both leaves through the first.
 */
export const twoServices = (name: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const processes = yield* twoAssemblies(name)
      let requests = 0
      const client = TestClient.of({
        send: (method, path, request) =>
          Effect.suspend(() =>
            Context.get(processes[requests++ % 2]!, TestClient).send(method, path, request)
          )
      })
      const first = Context.pick(
        SqlClient.SqlClient,
        SecureRandom.SecureRandom,
        Mails,
        Doorbells,
        MailerMemory,
        NanoLedger,
        NanoLedgerMemory.NanoLedgerMemory
      )(processes[0])
      return Context.add(first, TestClient, client)
    })
  )
