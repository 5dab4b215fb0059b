import { type ResourceLimits, Worker as NodeThread } from "node:worker_threads"
import * as NodeWorker from "@effect/platform-node/NodeWorker"
import { Deferred, Duration, Effect, Exit, Fiber, Queue, Scope } from "effect"
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

/** Time that a thread has to end. */
const END_DEADLINE = Duration.seconds(5)

/**
 * Closes a thread's scope, and stops waiting at the deadline. Node cannot end a thread in a loop that never checks for
 * interrupts, such as `while (true) new Array(1000).fill(1)`; such a thread keeps a processor busy, but no caller.
 */
const end = Effect.fnUntraced(function* (scope: Scope.Closeable) {
  const ending = yield* Effect.forkDetach(Scope.close(scope, Exit.void), { startImmediately: true })
  yield* Effect.interruptible(Fiber.await(ending)).pipe(
    Effect.timeoutOrElse({
      duration: END_DEADLINE,
      orElse: () => Effect.logError("A thread cannot be stopped and keeps a processor busy")
    })
  )
})

const spawnFailed = (message: string, cause?: unknown) =>
  new WorkerError({ reason: new WorkerSpawnError({ message, cause }) })

/**
 * Starts a thread and waits until its program is loaded. The thread ends with the scope, in the middle of a task too.
 * Fails with `WorkerError` when it does not start; `ask` fails with it when the thread is lost. `processorMillis` is
 * the processor time that the thread has used, and infinite when Node cannot tell it.
 */
export const makeThread = Effect.fnUntraced(function* (options: ThreadOptions) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer(() => end(scope))
  return yield* Scope.provide(start(options), scope)
}, Effect.provide(NodeWorker.layerPlatform))

const start = Effect.fnUntraced(function* ({ program, resourceLimits }: ThreadOptions) {
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
  const processorMillis = Effect.promise(async () => {
    try {
      const { system, user } = await thread.cpuUsage()
      return (user + system) / 1_000
    } catch {
      return Number.POSITIVE_INFINITY
    }
  })
  return { ask, processorMillis }
})

/** A thread that runs one task at a time. */
export type Thread = Effect.Success<ReturnType<typeof makeThread>>
