import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { OwnerId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { DAY_MILLIS, later } from "../../platform/time/now.ts"
import type { UploadLease, UploadTarget } from "./operation.ts"
import { EarlierUpload, ReservationFacts } from "./reservation.ts"

export interface NewReservation {
  readonly id: UploadOperationId
  readonly ownerId: OwnerId
  readonly target: UploadTarget
  readonly requestKey: string
  readonly policyVersion: string
  readonly bytes: number
  readonly at: Date
  readonly leaseUntil: Date
}

/** A lease to receive bytes: `receipt` counts the times that bytes were sent for the operation. */
export interface ReceivingLease extends UploadLease {
  readonly receipt: number
}

/** What is known of an image whose bytes are durable. */
export interface ReceivedImage {
  readonly format: ImageFormat
  readonly byte_size: number
  /** In hex. */
  readonly sha256: string
  readonly width: number
  readonly height: number
  readonly frames: number
  /** Null when the public copy could not be made yet. */
  readonly public_url: string | null
  readonly public_size: number | null
}

/** Reservations of uploads, from the first byte to the durable receipt. */
export class ReservationsRepo extends Context.Service<
  ReservationsRepo,
  {
    /** One reservation of an owner at a time, until the surrounding transaction ends. */
    readonly lockOwner: (owner: OwnerId) => Effect.Effect<void>
    readonly earlier: (owner: OwnerId, requestKey: string) => Effect.Effect<Option.Option<EarlierUpload>>
    readonly facts: (owner: OwnerId, target: UploadTarget, at: Date) => Effect.Effect<ReservationFacts>
    /** Counts a request that carries a file. */
    readonly charge: (owner: OwnerId, bytes: number, at: Date) => Effect.Effect<void>
    /** Of the next generation of its target; counts the request, too. */
    readonly reserve: (reservation: NewReservation) => Effect.Effect<ReceivingLease>
    /**
     * The lease of an operation whose bytes never came; none when somebody has taken it since it was read, as whoever
     * removes what is left of former bytes would remove the new ones too.
     */
    readonly takeOver: (
      earlier: UploadLease,
      reservation: Pick<NewReservation, "bytes" | "leaseUntil">
    ) => Effect.Effect<Option.Option<ReceivingLease>>
    /** The durable byte checkpoint (specification 3.2.1); false when the lease is another's. */
    readonly receive: (lease: UploadLease, image: ReceivedImage, dueAt: Date) => Effect.Effect<boolean>
    /** Forgets an operation whose file was refused, so that its key is free again. */
    readonly forget: (lease: UploadLease) => Effect.Effect<void>
    /** Ends the lease; the bytes may be sent again. */
    readonly abandon: (lease: UploadLease, at: Date) => Effect.Effect<void>
  }
>()("pennypress/publishing/uploads/ReservationsRepo") {
  static readonly layer = Layer.effect(
    ReservationsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const earlier = SqlSchema.findOneOption({
        Request: Schema.Any,
        Result: EarlierUpload,
        execute: ({ owner, requestKey }: { readonly owner: OwnerId; readonly requestKey: string }) => sql`
          select id, target_kind, target_id, target_key, state, owed, due_at, attempts, desired, staged_bytes,
            encode(sha256, 'hex') as sha256
          from upload_operations where owner_id = ${owner} and request_key = ${requestKey}`
      })

      // The Post stays until the reservation is there, so that its deletion finds all of its images.
      const facts = SqlSchema.findOne({
        Request: Schema.Any,
        Result: ReservationFacts,
        execute: (it: { readonly owner: OwnerId; readonly target: UploadTarget; readonly at: Date }) => sql`
          select
            (select wire_time(p.updated_at) from posts p
             where p.id = ${it.target.id} and p.owner_id = ${it.owner} for key share) as post_revision,
            u.unfinished, u.staged_bytes,
            t.minute_transfers, t.minute_oldest, t.day_transfers, t.day_bytes, t.day_oldest
          from (
            select count(*) filter (where state in ('receiving', 'queued', 'checking'))::int4 as unfinished,
              coalesce(sum(staged_bytes), 0)::int4 as staged_bytes
            from upload_operations
            where owner_id = ${it.owner} and (state in ('receiving', 'queued', 'checking') or staged_bytes > 0)
          ) u, (
            select count(*) filter (where begun_at > ${later(it.at, -60_000)})::int4 as minute_transfers,
              min(begun_at) filter (where begun_at > ${later(it.at, -60_000)}) as minute_oldest,
              count(*)::int4 as day_transfers, coalesce(sum(byte_size), 0)::float8 as day_bytes,
              min(begun_at) as day_oldest
            from upload_transfers where owner_id = ${it.owner} and begun_at > ${later(it.at, -DAY_MILLIS)}
          ) t`
      })

      const isHeldBy = ({ attempts, id }: UploadLease) =>
        sql`id = ${id} and attempts = ${attempts} and state = 'receiving'`

      return ReservationsRepo.of({
        lockOwner: Effect.fn("ReservationsRepo.lockOwner")(
          (owner) => sql`select from owners where id = ${owner} for no key update`,
          Effect.asVoid,
          Effect.orDie
        ),

        earlier: Effect.fn("ReservationsRepo.earlier")((owner, requestKey) =>
          Effect.orDie(earlier({ owner, requestKey }))
        ),

        facts: Effect.fn("ReservationsRepo.facts")((owner, target, at) =>
          Effect.orDie(facts({ owner, target, at }))
        ),

        charge: Effect.fn("ReservationsRepo.charge")(
          (owner, bytes, at) => sql`
            insert into upload_transfers (owner_id, begun_at, byte_size) values (${owner}, ${at}, ${bytes})`,
          Effect.asVoid,
          Effect.orDie
        ),

        reserve: Effect.fn("ReservationsRepo.reserve")(function* (it) {
          const { target } = it
          yield* sql`
            with charged as (
              insert into upload_transfers (owner_id, begun_at, byte_size)
              values (${it.ownerId}::uuid, ${it.at}::timestamptz, ${it.bytes}::integer))
            insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key,
              created_at, state, owed, due_at, attempts, policy_version, staged_bytes)
            select ${it.id}::uuid, ${it.ownerId}::uuid, ${target.kind}, ${target.id}::uuid, ${target.key},
              coalesce(max(generation), 0) + 1, ${it.requestKey}, ${it.at}::timestamptz, 'receiving', 'receipt',
              ${it.leaseUntil}::timestamptz, 1, ${it.policyVersion}, ${it.bytes}::integer
            from upload_operations
            where target_id = ${target.id}::uuid and target_kind = ${target.kind} and target_key = ${target.key}`
          return { id: it.id, attempts: 1, receipt: 1 }
        }, Effect.orDie),

        takeOver: Effect.fn("ReservationsRepo.takeOver")(function* (earlier, { bytes, leaseUntil }) {
          const rows = yield* sql<ReceivingLease>`
            update upload_operations set owed = 'receipt', due_at = ${leaseUntil}, staged_bytes = ${bytes},
              attempts = attempts + 1, receipts = receipts + 1
            where ${isHeldBy(earlier)} returning id, attempts, receipts as receipt`
          return Option.fromUndefinedOr(rows[0])
        }, Effect.orDie),

        receive: Effect.fn("ReservationsRepo.receive")(function* (lease, image, dueAt) {
          const { byte_size, format, frames, height, public_size, public_url, sha256, width } = image
          const received = yield* sql`
            update upload_operations set state = 'queued', owed = ${public_url === null ? "promotion" : "screening"},
              due_at = ${dueAt}, received_at = ${dueAt}, format = ${format}, byte_size = ${byte_size},
              staged_bytes = ${byte_size}, sha256 = decode(${sha256}, 'hex'), width = ${width}, height = ${height},
              frames = ${frames}, public_url = ${public_url}, public_size = ${public_size},
              last_error = ${public_url === null ? "unavailable storage" : null}
            where ${isHeldBy(lease)} returning id`
          return received.length === 1
        }, Effect.orDie),

        forget: Effect.fn("ReservationsRepo.forget")(
          (lease) => sql`delete from upload_operations where ${isHeldBy(lease)}`,
          Effect.asVoid,
          Effect.orDie
        ),

        abandon: Effect.fn("ReservationsRepo.abandon")(
          (lease, at) => sql`update upload_operations set due_at = ${at} where ${isHeldBy(lease)}`,
          Effect.asVoid,
          Effect.orDie
        )
      })
    })
  )
}
