# Assay in one image, for every role. Small: only the built code and the packages it runs with, under Node.js 26.
#
#   docker build -t assay .
#   docker run -p 8080:8080 -p 4317:4317 -v assay-data:/data --memory 1g assay
#
# Bodies of requests take at most an eighth of the container's memory; docs/decisions/0020-limits-at-the-edge.md has the rest.

FROM node:26-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY dashboard/package.json dashboard/package-lock.json dashboard/
# With the optional packages: the compiler is one, for each machine another.
RUN npm ci --no-audit --no-fund && npm ci --prefix dashboard --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/
COPY bin bin
COPY src src
COPY dashboard dashboard
RUN node scripts/build.ts
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 ASSAY_DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/assay-compile
WORKDIR /app
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/dashboard/dist dashboard/dist
COPY package.json LICENSE NOTICE ./
COPY bin bin
COPY models models
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 4317
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "const { PORT, ASSAY_METRICS_PORT: own, ASSAY_TLS_CERT_FILE: cert } = process.env; require(cert && !own ? 'https' : 'http').get({ host: '127.0.0.1', port: own || PORT || 8080, path: '/healthz', rejectUnauthorized: false }, (r) => process.exit(r.statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
ENTRYPOINT ["node", "bin/assay.mjs"]
CMD ["start"]
