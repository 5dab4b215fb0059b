/** The kind of work that the bell, metrics and logs name. */
export const NOTIFICATION_MAILS = "notification_mails"
