import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"

/** False on a machine without git and Bash, which the service does not need. */
export const hasGit = ["git", "bash"].every((program) => spawnSync(program, ["--version"]).status === 0)

const environment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A contributor",
  GIT_AUTHOR_EMAIL: "contributor@press.test",
  GIT_COMMITTER_NAME: "A contributor",
  GIT_COMMITTER_EMAIL: "contributor@press.test"
}

/** Makes a repository in a folder of its own, with a copy of these files of ours. It ends with the scope. */
export const scratchCheckout = Effect.fnUntraced(function* (...copied: ReadonlyArray<string>) {
  const directory = yield* temporaryDirectory
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), text)
  }
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", args, { cwd: directory, encoding: "utf8", env: environment }).trim()
  for (const file of copied) cpSync(file, join(directory, file), { recursive: true })
  git("init", "--quiet", "--initial-branch=main")
  return {
    directory,
    git,
    write,
    /** Commits everything under this subject. */
    commit: (subject: string) => {
      git("add", "--all")
      git("commit", "--quiet", "--allow-empty", "--message", subject)
    },
    /** Runs a program of the checkout. Returns its status and all of its output. */
    run: (file: string, ...args: ReadonlyArray<string>) => {
      const { status, stderr, stdout } = spawnSync(join(directory, file), args, {
        cwd: directory,
        encoding: "utf8",
        env: environment
      })
      return { status, output: `${stdout}${stderr}` }
    }
  }
})
