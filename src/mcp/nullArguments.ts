/**
 * Returns a message without `params.arguments` if they are null, as clients in languages without absent members send
 * them. Any other message is returned as it is.
 */
export const withoutNullArguments = (message: unknown): unknown => {
  if (typeof message !== "object" || message === null || !("params" in message)) return message
  const { params } = message
  if (typeof params !== "object" || params === null || !("arguments" in params)) return message
  const { arguments: args, ...rest } = params
  return args === null ? { ...message, params: rest } : message
}
