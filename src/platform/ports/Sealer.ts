import { Context, type Effect, type Option } from "effect"

/** Encrypts values that the service must read back and the database must not reveal (AES-256-GCM under the server's key). */
export class Sealer extends Context.Service<
  Sealer,
  {
    readonly seal: (text: string) => Effect.Effect<Uint8Array>
    /** Decrypts. Returns none if the bytes were changed, or sealed under a key that this server does not have. */
    readonly open: (sealed: Uint8Array) => Effect.Effect<Option.Option<string>>
  }
>()("pennypress/platform/ports/Sealer") {}
