// Threads load this module, so it imports none of the framework: that would cost each thread 25 MB.

/** A kind of work that has threads of its own, so that one kind does not wait for another. */
export type TaskPool = "sections" | "signatures" | "files"

/**
 * A pure function of the service that may keep a processor busy for a long time. Input and output are plain data. Its
 * promise waits for no other promise.
 */
export interface Task<in Input, out Output> {
  readonly pool: TaskPool
  /** Unique within its pool. */
  readonly name: string
  readonly run: (input: Input) => Output | Promise<Output>
}

/** Names functions as the tasks of a pool. */
export const tasksOf = <const Functions extends Readonly<Record<string, (input: never) => unknown>>>(
  pool: TaskPool,
  functions: Functions
): {
  readonly [Name in keyof Functions]: Task<
    Parameters<Functions[Name]>[0],
    Awaited<ReturnType<Functions[Name]>>
  >
} => Object.fromEntries(Object.entries(functions).map(([name, run]) => [name, { pool, name, run }])) as never
