import { spawn, spawnSync } from "node:child_process"
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Entry,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader
} from "@zip.js/zip.js/lib/zip-core-external.js"

/** Unpacked paths, each with its content or its kind. A program that does not take an archive says so in a text. */
export type Reading = Readonly<Record<string, string>> | string

/** A program that unpacks archives. */
interface ArchiveReader {
  readonly program: string
  /** A command that unpacks all archives of a directory into directories of another, and writes how each ended. */
  readonly command: ReadonlyArray<string>
  /** It ends with 1 when it unpacked all, and warns. */
  readonly warns?: true
  /** It reads from the first byte on, and does not know the directory. */
  readonly isStream?: true
}

/** A command for a program that unpacks one archive into the working directory. */
const forEach = (unpack: string) => [
  "bash",
  "-c",
  `for archive in "$1"/*; do
    output="$2/\${archive##*/}"
    mkdir "$output"
    (cd "$output" && ${unpack}) >"$output.said" 2>&1 </dev/null
    echo $? >"$output.status"
  done`,
  "bash"
]

const PYTHON = `
import os, sys, zipfile
for name in os.listdir(sys.argv[1]):
    output = os.path.join(sys.argv[2], name)
    os.mkdir(output)
    status = "0"
    try:
        with zipfile.ZipFile(os.path.join(sys.argv[1], name)) as archive:
            archive.extractall(output)
    except Exception as error:
        status = repr(error)
    with open(output + ".status", "w") as file:
        file.write(status)
`

const java = (reader: string) => ["java", fileURLToPath(new URL("UnpackAll.java", import.meta.url)), reader]

/** The readers of other programs. */
export const READERS: Readonly<Record<string, ArchiveReader>> = {
  Python: { program: "python3", command: ["python3", "-c", PYTHON] },
  "Info-ZIP": { program: "unzip", command: forEach('unzip -o -q "$archive"'), warns: true },
  "7-Zip": { program: "7z", command: forEach('7z x -y -bd -mmt=1 "$archive"'), warns: true },
  libarchive: { program: "bsdtar", command: forEach('bsdtar -xf "$archive"') },
  "libarchive, from a stream": {
    program: "bsdtar",
    command: forEach('cat "$archive" | bsdtar -xf -'),
    isStream: true
  },
  Java: { program: "java", command: java("file") },
  "Java, from a stream": { program: "java", command: java("stream"), isStream: true }
}

/** Returns true for a program that is installed. */
export const isInstalled = (program: string): boolean =>
  spawnSync("bash", ["-c", 'command -v "$1"', "bash", program]).status === 0

const unpackedIn = (directory: string): Record<string, string> => {
  const all: Record<string, string> = {}
  for (const file of readdirSync(directory, { encoding: "buffer" })) {
    const name = file.toString()
    const path = Buffer.concat([Buffer.from(`${directory}/`), file])
    const stat = lstatSync(path)
    if (stat.isDirectory()) {
      all[`${name}/`] = "directory"
      for (const [inner, it] of Object.entries(unpackedIn(path.toString()))) all[`${name}/${inner}`] = it
    } else
      all[name] = stat.isSymbolicLink()
        ? `link to ${readlinkSync(path)}`
        : `file ${readFileSync(path, "latin1")}`
  }
  return all
}

const sorted = (reading: Record<string, string>) =>
  Object.fromEntries(Object.entries(reading).toSorted(([one], [other]) => (one < other ? -1 : 1)))

const readingIn = (output: string, { warns }: ArchiveReader): Reading => {
  const status = readFileSync(`${output}.status`, "utf8").trim()
  return status === "0" || (warns === true && status === "1") ? sorted(unpackedIn(output)) : status
}

const ended = (command: ReadonlyArray<string>) =>
  new Promise<void>((resolve, reject) => {
    const [program = "", ...args] = command
    const environment = { ...process.env, LC_ALL: "C.UTF-8", JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1" }
    const child = spawn(program, args, { stdio: "ignore", env: environment })
    child.on("error", reject)
    child.on("exit", (code) =>
      code === 0 || command[0] === "bash" ? resolve() : reject(new Error(`${program}: ${code}`))
    )
  })

const unpackedByZipJs = async (entries: ReadonlyArray<Entry>) => {
  const all: Record<string, string> = {}
  for (const entry of entries) {
    const parts = entry.filename.split("/").slice(0, -1)
    parts.forEach((_, depth) => (all[`${parts.slice(0, depth + 1).join("/")}/`] = "directory"))
    if (entry.directory) continue
    const content = await entry.getData(new Uint8ArrayWriter())
    all[entry.filename] = `file ${Buffer.from(content).toString("latin1")}`
  }
  return sorted(all)
}

/** Reads with zip.js as its other users do: by its defaults, without our strictness. */
const readByZipJs = async (archive: Uint8Array): Promise<Reading> => {
  try {
    const reader = new ZipReader(new Uint8ArrayReader(archive), {
      useWebWorkers: false,
      checkSignature: true
    })
    return await unpackedByZipJs(await reader.getEntries())
  } catch (error) {
    return String(error)
  }
}

/** Unpacks each archive with each program that is installed. */
export const readByAll = async (
  archives: ReadonlyArray<Uint8Array>
): Promise<ReadonlyArray<Readonly<Record<string, Reading>>>> => {
  const directory = mkdtempSync(join(tmpdir(), "pennypress-archives-"))
  try {
    const from = join(directory, "archives")
    mkdirSync(from)
    archives.forEach((archive, index) => writeFileSync(join(from, `${index}.zip`), archive))
    const readers = Object.entries(READERS).filter(([, { program }]) => isInstalled(program))
    await Promise.all(
      readers.map(async ([name, { command }]) => {
        mkdirSync(join(directory, name))
        await ended([...command, from, join(directory, name)])
      })
    )
    const readings: Array<Record<string, Reading>> = []
    for (const [index, archive] of archives.entries()) {
      const found: Record<string, Reading> = { "zip.js": await readByZipJs(archive) }
      for (const [name, reader] of readers)
        found[name] = readingIn(join(directory, name, `${index}.zip`), reader)
      readings.push(found)
    }
    return readings
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
