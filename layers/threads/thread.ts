import { type ResourceLimits, Worker as NodeThread } from "node:worker_threads"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Deferred, Duration, Effect, Fiber, Queue } from "effect"
import { Spawner, WorkerPlatform } from "effect/workers/Worker"
import { WorkerError, WorkerSpawnError } from "effect/workers/WorkerError"

/** A request to a thread, which runs one task at a time. */
export interface TaskRequest {
  readonly name: string
  readonly input: unknown
}

/** The result of a task, or the error that it threw. */
export type TaskReply = { readonly output: unknown } | { readonly thrown: unknown }

export interface ThreadOptions {
  /** The module that the thread runs; it calls `serveTasks`. */
  readonly program: URL
  readonly resourceLimits: ResourceLimits
}

/** Time that a thread has to load its program. */
const START_DEADLINE = Duration.seconds(30)

const spawnFailed = (message: string, cause?: unknown) =>
  new WorkerError({ reason: new WorkerSpawnError({ message, cause }) })

/**
 * Starts a thread and waits until its program is loaded. The thread ends with the scope, in the middle of a task too.
 * Fails with `WorkerError` when it does not start; `ask` fails with it when the thread is lost.
 */
export const makeThread = Effect.fnUntraced(function* ({ program, resourceLimits }: ThreadOptions) {
  const platform = yield* WorkerPlatform
  const thread = yield* Effect.try({
    try: () => new NodeThread(program, { resourceLimits }),
    catch: (cause) => spawnFailed("The thread does not start", cause)
  })
  const worker = yield* platform
    .spawn<TaskReply, TaskRequest>(0)
    .pipe(Effect.provideService(Spawner, () => thread))
  const replies = yield* Queue.unbounded<TaskReply>()
  const ready = yield* Deferred.make<void>()
  const lost = yield* worker
    .run((reply) => Queue.offer(replies, reply), {
      onSpawn: Effect.asVoid(Deferred.succeed(ready, undefined))
    })
    .pipe(Effect.forkScoped({ startImmediately: true }))
  // The last finalizer runs first: the platform would ask the thread to end, and a busy thread cannot hear it.
  yield* Effect.addFinalizer(() => Effect.promise(() => thread.terminate()))
  yield* Effect.raceFirst(Deferred.await(ready), Fiber.join(lost)).pipe(
    Effect.timeoutOrElse({
      duration: START_DEADLINE,
      orElse: () => Effect.fail(spawnFailed("The thread was not ready in time"))
    })
  )
  const ask = (request: TaskRequest) =>
    Effect.andThen(worker.send(request), Effect.raceFirst(Queue.take(replies), Fiber.join(lost)))
  return { ask }
}, Effect.provide(NodeWorker.layerPlatform))

/** A thread that runs one task at a time. */
export type Thread = Effect.Success<ReturnType<typeof makeThread>>
