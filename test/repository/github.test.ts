import { accessSync, constants, globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { parse } from "yaml"

const ajv = new Ajv2020({ strict: false, allErrors: true })

const read = (file: string): any => parse(readFileSync(file, "utf8"))

/** Returns what a schema of this folder refuses of a document. */
const errorsBy = (schema: string) => {
  const validate = ajv.compile(
    JSON.parse(readFileSync(new URL(`./${schema}.schema.json`, import.meta.url), "utf8"))
  )
  return (document: unknown) =>
    validate(document)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const errorsOfWorkflow = errorsBy("workflow")
const errorsOfForm = errorsBy("issueForm")

const workflows = globSync(".github/workflows/*.yml").toSorted()
const forms = globSync(".github/ISSUE_TEMPLATE/*.yml").filter((file) => !file.endsWith("/config.yml"))

const stepsOf = (workflow: any) => Object.values<any>(workflow.jobs).flatMap(({ steps }) => steps)

const commandsOf = (file: string) =>
  stepsOf(read(file)).flatMap(({ run = "" }) => [...run.matchAll(/^\.ci\/\S+/gm)].map(([program]) => program))

describe("the workflows", () => {
  it("Each workflow is valid", () => {
    assert.deepStrictEqual(workflows, [".github/workflows/ci.yml", ".github/workflows/nightly.yml"])
    for (const file of workflows) assert.deepStrictEqual(errorsOfWorkflow(read(file)), [], file)
  })

  it("Each workflow runs one program of .ci, which is executable", () => {
    assert.deepStrictEqual(workflows.map(commandsOf), [[".ci/run"], [".ci/soak"]])
    for (const file of workflows.flatMap(commandsOf)) accessSync(file, constants.X_OK)
  })

  it("The nightly run has every part of the soak", () => {
    const { steps, strategy } = read(".github/workflows/nightly.yml").jobs.soak
    const [, parts] = /^\.ci\/soak \$\{\{ matrix\.part \}\}\/(\d+)$/.exec(steps.at(-1).run) ?? []
    assert.deepStrictEqual(
      strategy.matrix.part,
      Array.from({ length: Number(parts) }, (_, n) => n + 1)
    )
  })

  it("A wrong workflow is refused", () => {
    const changed = (change: (workflow: any, job: any) => void) => {
      const workflow = read(".github/workflows/ci.yml")
      change(workflow, workflow.jobs.gate)
      return errorsOfWorkflow(workflow)
    }
    assert.deepStrictEqual(
      changed(() => {}),
      []
    )
    const wrong = [
      changed((workflow) => delete workflow.permissions),
      changed((workflow) => (workflow.permissions.contents = "write")),
      changed((workflow) => (workflow.on.push_request = null)),
      changed((_, job) => delete job["timeout-minutes"]),
      changed((_, job) => (job.run_on = "ubuntu-24.04")),
      changed((_, job) => (job.steps[1].uses = "actions/checkout@main")),
      changed((_, job) => (job.steps[1].run = "echo both")),
      changed((_, job) => (job.steps = []))
    ]
    for (const errors of wrong) assert.isNotEmpty(errors)
  })
})

describe("the issue forms", () => {
  it("Each issue form is valid, with fields of different names", () => {
    assert.lengthOf(forms, 2)
    for (const file of forms) {
      const form = read(file)
      assert.deepStrictEqual(errorsOfForm(form), [], file)
      const ids = form.body.flatMap(({ id }: { readonly id?: string }) => id ?? [])
      assert.lengthOf(new Set(ids), ids.length, file)
    }
  })
})
