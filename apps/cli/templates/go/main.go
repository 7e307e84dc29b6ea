package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"net/url"
	"os/signal"
	"syscall"
	"time"
)

const appName = "__NAME__"

func main() {
	platform, err := ReadPlatform()
	if err != nil {
		log.Fatal(err)
	}
	address := net.JoinHostPort(Environment("HOST", "0.0.0.0"), Environment("PORT", "3000"))
	server := &http.Server{Addr: address, Handler: platform.Guard(routes(platform)), ReadHeaderTimeout: 10 * time.Second}
	stop, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	stopped := make(chan error)
	go func() {
		<-stop.Done()
		// The platform kills an app 10 s after it asked it to stop.
		grace, cancel := context.WithTimeout(context.Background(), 9*time.Second)
		defer cancel()
		stopped <- server.Shutdown(grace)
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
	<-stopped
}

// Paths are relative to base_path in app.yaml.
func routes(platform *Platform) *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health", func(response http.ResponseWriter, _ *http.Request) {
		respond(response, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /hello/{name}", func(response http.ResponseWriter, request *http.Request) {
		greeting, err := greeting(request.Context(), platform)
		if err != nil {
			respondError(response, http.StatusBadGateway, err)
			return
		}
		hello := map[string]string{"greeting": greeting, "hello": request.PathValue("name"), "from": caller(request)}
		respond(response, http.StatusOK, hello)
	})
	mux.HandleFunc("POST /hello/{name}", func(response http.ResponseWriter, request *http.Request) {
		trigger := map[string]any{"data": map[string]string{"name": request.PathValue("name"), "from": caller(request)}}
		path := "/api/v2/hooks/" + url.PathEscape(appName+".greeted") + "/trigger"
		if err := platform.Call(request.Context(), http.MethodPost, path, trigger, nil); err != nil {
			respondError(response, http.StatusBadGateway, err)
			return
		}
		respond(response, http.StatusAccepted, map[string]bool{"ok": true})
	})
	mux.HandleFunc("POST /hooks/greeted", platform.Posted(greeted))
	mux.HandleFunc("POST /runs/sum", platform.Posted(sum))
	return mux
}

// caller returns who calls, as the platform says.
func caller(request *http.Request) string {
	for _, name := range []string{"X-User-ID", "X-App-Name", "X-Machine-ID"} {
		if value := request.Header.Get(name); value != "" {
			return value
		}
	}
	return "an anonymous visitor"
}

// greeting reads the setting of the app. An app that reads it often keeps it for some seconds.
func greeting(ctx context.Context, platform *Platform) (string, error) {
	if platform.AppID == "" {
		return "Hello", nil
	}
	var settings struct{ Values map[string]any }
	err := platform.Call(ctx, http.MethodGet, "/api/v2/apps/"+platform.AppID+"/settings", nil, &settings)
	text, _ := settings.Values["hello.greeting"].(string)
	return text, err
}

// greeted takes a hook. An error has the platform send it again.
func greeted(_ context.Context, body []byte) (any, error) {
	var hook struct{ Data struct{ Name, From string } }
	if err := json.Unmarshal(body, &hook); err != nil {
		return nil, err
	}
	log.Printf("%s greeted %s", hook.Data.From, hook.Data.Name)
	return nil, nil
}

// sum does a run of the activity: it adds the numbers up to the input. Its context ends when the run is canceled.
func sum(ctx context.Context, body []byte) (any, error) {
	var run struct{ Input int }
	if err := json.Unmarshal(body, &run); err != nil {
		return nil, err
	}
	if run.Input < 0 {
		return nil, &Refusal{Code: "NEGATIVE", Message: "the input must not be negative"}
	}
	total := 0
	for number := 1; number <= run.Input && ctx.Err() == nil; number++ {
		total += number
	}
	return map[string]int{"total": total}, ctx.Err()
}
