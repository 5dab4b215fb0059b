import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

/** The code of a confined process. */
export interface Confined {
  /** The module that starts the process, from which its packages are found. */
  readonly from: string
  /** Folders of its own modules. */
  readonly folders: ReadonlyArray<URL>
  /** A package that it loads, with those beside it. */
  readonly package: string
  /** True when the package has native code. */
  readonly addons?: boolean
  /** Other files that it reads. */
  readonly files?: ReadonlyArray<string>
  /** Mebibytes of its heap; 64 unless told. */
  readonly heapMebibytes?: number
}

/** Returns the folders where Node finds a package and those beside it, with links resolved. */
const modules = ({ from, package: name }: Confined) => {
  const { resolve } = createRequire(from)
  const entry = realpathSync(resolve(name))
  const real = /^.*?[/\\]node_modules[/\\]/u.exec(entry)?.[0] ?? entry
  return [real, ...(resolve.paths(name) ?? []).filter((folder) => existsSync(folder))]
}

/**
 * Returns options of Node that let a process read its modules and packages, write nothing and start nothing; Node 24 cannot
 * deny the network. They bind its JavaScript, and not native code.
 */
export const confinedOptions = (confined: Confined): ReadonlyArray<string> => {
  const readable = [
    ...confined.folders.map((folder) => fileURLToPath(folder)),
    ...modules(confined),
    ...(confined.files ?? [])
  ]
  const permissions = [
    "--permission",
    ...(confined.addons === true ? ["--allow-addons"] : []),
    ...readable.map((path) => `--allow-fs-read=${path}`)
  ]
  return [
    `--max-old-space-size=${confined.heapMebibytes ?? 64}`,
    "--disallow-code-generation-from-strings",
    ...(process.allowedNodeEnvironmentFlags.has("--permission") ? permissions : [])
  ]
}
