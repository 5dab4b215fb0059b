/**
 * Says why a database cannot be used, in the words of the server or of the network, such as `password authentication failed
 * for user "press"`. They name hosts and users, and no password.
 */
export const databaseReason = (error: unknown): string => {
  if (!(error instanceof Error)) return "it does not answer"
  if (error.cause instanceof Error) return databaseReason(error.cause)
  // A name with several addresses, and none that answers.
  if (error instanceof AggregateError) return error.errors.map(databaseReason).join(", ")
  return error.message
}
