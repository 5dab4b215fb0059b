import { Effect, FileSystem, Layer, type PlatformError } from "effect"
import { systemError } from "effect/PlatformError"

/** A file system that fails where `broken` says. Records the calls that matter for durability, in order. */
export const faulty = (broken: (call: string, path: string) => boolean, calls: Array<string> = []) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const check = (call: string, path: string): Effect.Effect<void, PlatformError.PlatformError> =>
        Effect.suspend(() => {
          calls.push(`${call} ${path}`)
          return broken(call, path)
            ? Effect.fail(
                systemError({ _tag: "Unknown", module: "FileSystem", method: call, pathOrDescriptor: path })
              )
            : Effect.void
        })
      return {
        ...fs,
        link: (from, to) => Effect.andThen(check("link", to), fs.link(from, to)),
        rename: (from, to) => Effect.andThen(check("rename", to), fs.rename(from, to)),
        open: (path, options) =>
          Effect.map(fs.open(path, options), (file) => ({
            [FileSystem.FileTypeId]: FileSystem.FileTypeId,
            stat: file.stat,
            seek: file.seek.bind(file),
            read: file.read.bind(file),
            readAlloc: file.readAlloc.bind(file),
            truncate: file.truncate.bind(file),
            write: file.write.bind(file),
            sync: Effect.andThen(check("sync", path), file.sync),
            writeAll: (chunk) => Effect.andThen(check("write", path), file.writeAll(chunk))
          }))
      } satisfies FileSystem.FileSystem
    })
  )
