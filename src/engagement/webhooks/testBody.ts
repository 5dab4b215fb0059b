import { ALL_EVENTS } from "../../../schemas/engagement/webhooks/Webhook.ts"
import { wireTime } from "../../platform/time/now.ts"
import { type ExampleType, examples } from "./examples.ts"

const isExampleType = (type: string | undefined): type is ExampleType =>
  type !== undefined && Object.hasOwn(examples, type)

/** Returns the body of a test: an example of the type that was asked for, or of the first that the webhook subscribes to. */
export const testBody = (
  id: string,
  type: string | undefined,
  subscribed: ReadonlyArray<string>,
  at: Date
): string => {
  const first = subscribed.find((it) => it !== ALL_EVENTS)
  const exampleType = [type, first].find(isExampleType) ?? "post.published"
  return JSON.stringify({
    id,
    type: "webhook.test",
    timestamp: wireTime(at),
    sequence: null,
    data: { example: examples[exampleType] }
  })
}
