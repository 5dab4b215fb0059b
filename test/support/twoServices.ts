import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import * as Database from "../../layers/postgres/Database.ts"
import { MailerMemory } from "../../layers/testing/MailerMemory.ts"
import { Mails } from "../../src/platform/mail/Mails.ts"
import { freshDatabase } from "./Database.ts"
import { service, TestClient } from "./TestClient.ts"

/**
 * The whole service twice over one fresh database, like two processes behind one address. `TestClient` sends to each in turn.
 * Mail of both leaves through the first.
 */
export const twoServices = (name: string) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const url = yield* freshDatabase(name)
      const start = (seed: number) => Layer.build(Layer.fresh(service(Database.layer({ url }), seed)))
      const processes = yield* Effect.all([start(1), start(2)])
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
        MailerMemory
      )(processes[0])
      return Context.add(first, TestClient, client)
    })
  ).pipe(Layer.orDie)
