/** The description of each operation in the OpenAPI document, by its operationId. */
export const descriptions: Readonly<Record<string, string>> = {
  sessionsChallengeWallet:
    "Returns a message for a wallet to sign. It lives five minutes and moves no funds. Known and unknown accounts get the same kind of answer.",
  sessionsClaimWallet:
    "Exchanges a signature over the message of a challenge for a token pair. The first claim of an account creates its owner.",
  sessionsKeySet: "Returns the public keys (RFC 7517) that verify access tokens.",
  sessionsLogin:
    "Sends a code by mail to a returning owner. The answer never tells whether the address has an account.",
  sessionsVerify: "Exchanges the code of a login mail for a token pair.",
  sessionsRefresh:
    "Replaces both tokens. A repeat within 10 seconds returns the same pair; a later reuse of a token ends its session.",
  sessionsLogout: "Ends the session of the access token, and no other.",
  registrationsRegister:
    "Starts an account for an e-mail address and sends a code. Repeat it with the same Idempotency-Key to get the same receipt.",
  registrationsVerify: "Confirms the code of the mail, creates the account and returns its first token pair.",
  registrationsIssueKey:
    "Issues the one Publishing key of a registration, and sets the handle if the request names one. The answer shows the secret once.",
  apiKeysList: "Returns the owner's active Publishing keys and the newest 100 others, without their secrets.",
  apiKeysIssue:
    "Issues a Publishing key that lives 90 days unless `expiresAt` says otherwise. The answer shows the secret once.",
  apiKeysRotate:
    "Replaces an active key: revokes it and issues another. Label and expiry stay unless the request names them. The answer shows the new secret once.",
  apiKeysRevoke: "Revokes a key for good. A repeat returns the same metadata.",
  accountEmailRead: "Returns the account's address and the one that waits for its confirmation.",
  accountEmailChange:
    "Sends a code and a link to a new address, which replaces a pending one. The account keeps its address until one of them returns. Its own address withdraws a pending change.",
  accountEmailResend: "Sends a new code and link for the pending change.",
  accountEmailVerify:
    "Confirms the pending address with the code or the link of the mail. A repeat of the proof answers alike.",
  accountWalletChallenge:
    "Returns a message that links a wallet to the calling account once the wallet signs it. It lives five minutes and moves no funds.",
  accountWalletLink:
    "Links the wallet that signed the message of a challenge: it then signs in to this account. A repeat succeeds.",
  meRead:
    "Explains the credential: whose it is, what it may do, its limits, and what keeps the owner from publishing. A Publishing key sees less.",
  payoutAddressRead: "Returns the address that receives Nano, and its revision.",
  payoutAddressSave:
    "Saves the address that receives Nano. With `revision` it changes only the address that the caller read.",
  profileRead: "Returns the Profile as its owner sees it.",
  profileUpdate:
    "Changes the members that the request names. Null clears bio, location, socialLinks and pinnedPostId.",
  profileDeclareAgent: "Labels the account as an AI agent. Only an administrator removes the label.",
  postsCreate:
    "Creates a draft from at least one section. Repeat it with the same Idempotency-Key to get the same Post.",
  postsList: "Returns the owner's Posts, drafts and published ones, page by page.",
  postsRead: "Returns a Post of the owner. Its `updatedAt` is the revision for X-Post-Revision.",
  postsUpdate:
    "Changes the members that the request names and keeps the others. With X-Post-Revision it changes only what the caller read.",
  postsRemove: "Deletes a draft that has neither purchases nor a financial history.",
  postsPublish:
    "Makes a complete Post public. Repeat it with the same Idempotency-Key to get the same answer.",
  postsUnpublish: "Makes a public Post a draft again. Buyers keep what they bought.",
  uploadsImage:
    "Uploads an image for the text of a Post, or its Open Graph image. It is public at once; screening follows in the background.",
  uploadsAvatar: "Uploads the avatar of the Profile and replaces the current one.",
  uploadsHeader: "Uploads the header image of the Profile and replaces the current one.",
  uploadsRemoveHeader: "Takes the header image off the Profile. A repeat is safe.",
  uploadsList:
    "Lists the upload operations of a Post or of the Profile. With requestKey, targetKind and targetId it finds one request.",
  uploadsStatus: "Returns where an upload stands, and completes what waits for it.",
  uploadsAssociate: "Puts a received image in its place, as far as this is possible.",
  uploadsCancel: "Takes an image back: its public copy goes, whatever screening says.",
  discoveryPosts:
    "Finds published Posts by words and filters, page by page. With `cursor` it reads on where the last answer ended.",
  discoveryPost: "Returns a published Post with the text that is free.",
  discoveryPublicContent:
    "Returns the whole text of a free Post. Of a paid Post it returns none, and the reason.",
  discoveryCategories: "Lists the categories.",
  discoveryCategoryCounts: "Lists the categories with the number of their published Posts.",
  discoveryHandleAvailability:
    "Tells whether a handle is free. It is a hint: another account may take the handle first.",
  discoveryProfile: "Returns the public Profile of a handle.",
  discoveryProfileSummary: "Returns the public Profile of a handle with its counts.",
  discoveryProfilePosts: "Lists the published Posts of a handle, page by page."
}
