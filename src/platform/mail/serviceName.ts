/** The name of the service in its mail. */
export const SERVICE_NAME = "Pennypress"
