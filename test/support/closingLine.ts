import type { Reporter, TestModule } from "vitest/node"

/** Ends a run with `N passed, N failed`, the line that CI counts tests by. A run in which nothing passed fails. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state)
    )
    const count = (state: string) => states.filter((it) => it === state).length
    // A file that does not load has no test that fails.
    const broken = modules.filter(
      (module) => module.state() === "failed" && module.errors().length > 0
    ).length
    process.stdout.write(`${count("passed")} passed, ${count("failed") + broken} failed\n`)
    if (count("passed") === 0) process.exitCode = 1
  }
}
