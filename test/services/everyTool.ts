import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import type { AnyClient } from "../mcp/officialClients.ts"
import { zipOf } from "../publishing/archives/makeZip.ts"
import { pngOf } from "../publishing/image-formats/png/makePng.ts"

/** The Posts of the service, and the directory from which files are uploaded. */
export interface Stage {
  readonly freePost: string
  readonly paidPost: string
  readonly priceRaw: string
  readonly files: string
}

type Args = Readonly<Record<string, unknown>>

const NOTHING = "0190f3c2-7b1e-4c4a-9d52-3f6a8b0c1d2e"

const ajv = addFormats.default(new Ajv2020({ strict: false }))

/** Calls of a client, whose results are checked against the schemas of their tools. */
const checkedCalls = (tools: ReadonlyArray<any>, client: AnyClient) => {
  const validators = new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema)]))
  const used = new Set<string>()
  return {
    used,
    succeeded: async (name: string, args: Args = {}): Promise<any> => {
      used.add(name)
      const result = await client.callTool({ name, arguments: { ...args } })
      assert.notStrictEqual(result.isError, true, `${name}: ${result.content[0]?.text}`)
      const isValid = validators.get(name)
      assert.isTrue(isValid?.(result.structuredContent), `${name}: ${JSON.stringify(isValid?.errors)}`)
      assert.lengthOf(result.content, 1)
      assert.deepStrictEqual(JSON.parse(result.content[0].text), result.structuredContent)
      return result.structuredContent
    },
    /** Expects a failure that a model can do something about; one of the library has no code. */
    failed: async (name: string, args: Args, code?: string): Promise<void> => {
      used.add(name)
      const result = await client.callTool({ name, arguments: { ...args } })
      const [{ text }] = result.content
      assert.isTrue(result.isError, `${name} ${JSON.stringify(args)}: ${text}`)
      assert.isUndefined(result.structuredContent, name)
      assert.lengthOf(result.content, 1)
      assert.notStrictEqual(text, "")
      if (code === undefined) return
      const failure = JSON.parse(text)
      assert.strictEqual(failure.code, code, `${name}: ${text}`)
      assert.hasAllKeys(failure, [
        "code",
        "message",
        "retryable",
        "retryAfterSeconds",
        "nextStep",
        "operationId",
        "fields",
        "requestId"
      ])
    }
  }
}

/** Names of arguments by which a model could try to give itself permissions. None of them is one. */
const FOREIGN: ReadonlyArray<string> = ["approved", "grant", "origin", "state_dir"]

/** Uses each tool with arguments that are wrong, missing or unknown. */
const misuse = async (tools: ReadonlyArray<any>, failed: (name: string, args: Args) => Promise<void>) => {
  for (const { inputSchema, name } of tools) {
    const required: ReadonlyArray<string> = inputSchema.required ?? []
    const properties: Readonly<Record<string, unknown>> = inputSchema.properties ?? {}
    const filled = Object.fromEntries(required.map((argument) => [argument, NOTHING]))
    for (const argument of required) {
      const { [argument]: _, ...others } = filled
      await failed(name, others)
    }
    // No argument of any tool is a list of objects.
    for (const argument of Object.keys(properties)) await failed(name, { ...filled, [argument]: [{}] })
    for (const argument of FOREIGN) await failed(name, { ...filled, [argument]: true })
  }
}

/** Uses every tool of the local edition, as an identity without a grant of a person. */
export const useEveryTool = async (client: AnyClient, stage: Stage, label: string): Promise<void> => {
  const { tools } = await client.listTools()
  assert.lengthOf(tools, 29)
  const { failed, succeeded, used } = checkedCalls(tools, client)
  const { files, freePost, paidPost, priceRaw } = stage

  const context = await succeeded("svc_context")
  assert.deepInclude(context.identity, { status: "verified", authorKind: "agent" })
  await succeeded("svc_categories")
  await succeeded("svc_search", { query: "no such words", limit: 1 })
  assert.isAbove((await succeeded("svc_search")).posts.length, 1)
  assert.strictEqual((await succeeded("svc_preview", { post_id: paidPost })).post.priceRaw, priceRaw)
  assert.isTrue((await succeeded("svc_read_content", { post_id: freePost })).available)
  assert.strictEqual((await succeeded("svc_read_content", { post_id: paidPost })).reason, "paid")
  await succeeded("svc_purchase_status", { post_id: paidPost })
  const { comments } = await succeeded("svc_comments", { post_id: freePost })
  const [comment] = comments
  assert.isTrue((await succeeded("svc_comment", { comment_id: comment.id })).available)
  await succeeded("svc_reactions", { target_type: "post", target_id: freePost })
  await succeeded("svc_notifications", { include_all: true })
  // Another process does an equal call at the moment, if this one does not differ.
  await succeeded("svc_notifications_mark_read", { ids: [crypto.randomUUID()] })
  await succeeded("svc_sale_snapshot")
  await succeeded("svc_open_browser", { target: "docs" })

  const { draft } = await succeeded("svc_create_draft", { title: label, free_content_markdown: "One." })
  const { draft: changed } = await succeeded("svc_update_draft", {
    post_id: draft.id,
    revision: draft.revision,
    changes: { description: "Changed." }
  })
  assert.strictEqual(changed.description, "Changed.")
  await succeeded("svc_list_drafts")
  await succeeded("svc_read_draft", { post_id: draft.id, section: "free" })
  const path = join(files, `${draft.id}.png`)
  writeFileSync(path, pngOf({ width: 8, height: 8, seed: 1 }))
  const { receipt } = await succeeded("svc_upload_image", {
    target: "inline",
    post_id: draft.id,
    revision: changed.revision,
    node_key: "one",
    path
  })
  const { operationId } = receipt.safety
  await succeeded("svc_image_status", { operation_id: operationId })
  await succeeded("svc_image_associate", { operation_id: operationId })
  await succeeded("svc_image_cancel", { operation_id: operationId })
  const { draft: paid } = await succeeded("svc_create_draft", {
    title: `${label}, paid`,
    paid_content_markdown: "Words.",
    enable_paywall: true,
    price_raw: priceRaw
  })
  const archive = join(files, `${draft.id}.zip`)
  writeFileSync(archive, zipOf([{ name: "a.txt", content: label }]))
  await succeeded("svc_attach_zip", { post_id: paid.id, revision: paid.revision, path: archive })
  assert.lengthOf((await succeeded("svc_attachment_status", { post_id: paid.id })).attachments, 1)
  await succeeded("svc_operation")

  // Without a person's permission.
  const { draft: fresh } = await succeeded("svc_read_draft", { post_id: draft.id })
  await failed("svc_publish", { post_id: draft.id, revision: fresh.revision }, "attestation-required")
  await failed(
    "svc_buy_post",
    { post_id: paidPost, expected_price_raw: priceRaw },
    "nano-provider-not-configured"
  )
  const reply = { intent_id: crypto.randomUUID(), comment_id: comment.id, content: "Thank you." }
  await failed("svc_reply_to_comment", reply, "grant-required")
  await failed("svc_download_attachment", { post_id: paidPost, attachment_id: NOTHING }, "not-found")
  await failed("svc_extract_attachment", { attachment_id: NOTHING }, "not-found")
  await failed("svc_preview", { post_id: "none" })
  assert.sameMembers(
    [...used],
    tools.map(({ name }) => name)
  )
  await misuse(tools, failed)

  const unknown = await client.callTool({ name: "svc_grant", arguments: {} }).catch((error: unknown) => error)
  assert.match(String(unknown), /-32602|not found/i)
}
