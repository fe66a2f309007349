// The OpenTelemetry Collector with an OTLP receiver and both of its OTLP exporters. Its configuration comes from a variable of the
// environment, so that no file has to be written.
package main

import (
	"context"
	"log"
	"os"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

type variable struct{}

func (variable) Scheme() string                 { return "env" }
func (variable) Shutdown(context.Context) error { return nil }
func (variable) Retrieve(_ context.Context, uri string, _ confmap.WatcherFunc) (*confmap.Retrieved, error) {
	return confmap.NewRetrievedFromYAML([]byte(os.Getenv(strings.TrimPrefix(uri, "env:"))))
}

func components() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](otlpexporter.NewFactory(), otlphttpexporter.NewFactory())
	return otelcol.Factories{
		Receivers: receivers,
		Exporters: exporters,
		Telemetry: otelconftelemetry.NewFactory(),
	}, err
}

func main() {
	provider := confmap.NewProviderFactory(func(confmap.ProviderSettings) confmap.Provider { return variable{} })
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "otelcol", Version: "matrix"},
		Factories: components,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				URIs:              []string{"env:COLLECTOR_CONFIG"},
				ProviderFactories: []confmap.ProviderFactory{provider},
			},
		},
	})
	if err := command.Execute(); err != nil {
		log.Fatal(err)
	}
}
