/** Sentences about parameters that mean the same in every operation. One with a schema of its own describes it there. */
const sentences: Readonly<Record<string, string>> = {
  "path registrationId": "The `registrationId` of the receipt",
  "path keyId": "The `keyId` of a Publishing key",
  "path postId": "The id of a Post",
  "path importId": "The id of an import",
  "path itemId": "The id of an item of the import",
  "path operationId": "The id of an upload operation",
  "path attachmentId": "The id of a file of the Post",
  "path handle": "The handle of an account, without `@`",
  "path creatorId": "The account id of an author",
  "path followId": "The id of a follow",
  "path userId": "The id of an account",
  "path profileId": "The id of an account",
  "path commentId": "The id of a Comment",
  "path saleId": "The id of a sale",
  "path obligationId": "The id of an obligation of the platform",
  "path subscriberId": "The id of a reader by mail",
  "path webhookId": "The id of a webhook",
  "path deliveryId": "The id of a delivery of the webhook",
  "path giftId": "The id of a gift",
  "path sessionId": "The id of a payment session",
  "path purchaseId": "The id of a purchase",
  "query status": "Only Posts in this state",
  "query page": "The number of the page; the first is 1",
  "query scheduled": "Whether to list scheduled Posts alone",
  "query per_page": "The number of items on a page",
  "query cursor": "The `nextCursor` of the previous page; empty for the first page",
  "query limit": "The maximum number of items in the answer",
  "query offset": "The number of items to skip",
  "query postId": "Only items of this Post",
  "query requestKey": "The Idempotency-Key of the upload to find",
  "query targetKind": "The use of the file of the upload to find",
  "query targetId": "The id of the Post or of the account that the upload belongs to",
  "query targetKey": "The X-Upload-Target-Key of the upload to find; empty for an upload without one",
  "query intent": "The use of the image: `content` in the text, `og` as the Open Graph image",
  "query q": "Words to look for",
  "query categoryId": "Only Posts in this category",
  "query handle": "Only Posts of the author with this handle",
  "query authorKind": "Only Posts of people, or only Posts of AI agents",
  "query access": "Only free Posts, or only paid ones",
  "query language": "Only Posts in this language",
  "query sort": "The order of the list",
  "query includeAll": "True includes notifications that were read",
  "query board": "The board to read",
  "query period": "The time that the board covers",
  "query reaction": "Also lists the owners with this reaction",
  "query threadRootId": "Only this Comment and the replies below it",
  "query version": "`current` for the newest text, `purchased` for the text as it was sold",
  "query from": "The first day in UTC, such as 2026-11-22",
  "query to": "The day in UTC after the last one",
  "query kind": "The payments to export",
  "query outcome": "Only items with this outcome",
  "query severity": "Only items whose report has such a line",
  "query format": "The form of the list; CSV unless told",
  "query redeemed": "`revoke` ends the access of readers who redeemed the gift; `keep` leaves it to them",
  "query state": "Only deliveries in this state",
  "query type": "Only events of this type",
  "query since": "Only events from this moment on",
  "query types": "Only events of these types, separated by commas",
  "query after": "The `nextCursor` of the previous page; empty for the oldest event that is kept",
  "query wait": "The number of seconds to wait for a change of the state",
  "header Idempotency-Key":
    "A name that you choose for this request, such as a UUID. A repeat with the same name has no second effect",
  "header X-Post-Revision": "The `updatedAt` of the Post as you read it",
  "header If-Match": "The older form of X-Post-Revision",
  "header X-Upload-Target-Key":
    "A stable name of the place of the image. An image in the text requires it; others have none",
  "header X-Session-Token":
    "The `token` of the payment session. Every caller but the owner who opened it has to send it"
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: object
  description?: string
  required?: boolean
}

/**
 * Describes a parameter: with the sentence of its schema, which moves there, or with the one that all operations share. It is
 * optional unless it says otherwise.
 */
export const describeParameter = (parameter: Parameter): void => {
  if (parameter.required === false) delete parameter.required
  const { description, ...schema }: { readonly description?: string } = parameter.schema
  const sentence = description ?? sentences[`${parameter.in} ${parameter.name}`]
  if (parameter.description !== undefined || sentence === undefined) return
  Object.assign(parameter, { description: sentence, schema })
}
