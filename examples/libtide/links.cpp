// links.cpp: translates sentences and prints word alignments, with owners that release what libtide returns.
// usage: links MODEL SENTENCE...
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <tide.h>

struct Release {
    void operator()(TideModel *model) const { tide_free(model); }
    void operator()(TideSession *session) const { tide_session_free(session); }
    void operator()(TideResult *result) const { tide_result_free(result); }
    void operator()(char *text) const { tide_text_free(text); }
};
template <class T> using Owned = std::unique_ptr<T, Release>;

class Translator {
    Owned<TideSession> session;

  public:
    explicit Translator(const std::string &path) {
        char error[256];
        TideModel *model;
        TideSession *fresh;
        if (tide_load(path.c_str(), &model, error, sizeof error)) throw std::runtime_error(error);
        const Owned<TideModel> held(model); // the session keeps the model alive
        if (tide_session_new(&model, 1, nullptr, &fresh, error, sizeof error)) throw std::runtime_error(error);
        session.reset(fresh);
    }

    Owned<TideResult> translate(const std::vector<const char *> &sentences) {
        TideTranslateOptions options = {};
        options.size = sizeof options;
        options.words = 1;
        TideResult *result;
        if (tide_translate(session.get(), sentences.data(), static_cast<int>(sentences.size()), &options, &result))
            throw std::runtime_error(tide_error(session.get()));
        return Owned<TideResult>(result);
    }
};

int main(int argc, char **argv) try {
    if (argc < 3) throw std::runtime_error("usage: links MODEL SENTENCE...");
    Translator translator(argv[1]);
    const auto result = translator.translate({argv + 2, argv + argc});
    for (int i = 0; i < result->count; i++) {
        const TideHypothesis &best = *result->sentences[i]->hypotheses[0];
        char *links = nullptr;
        if (best.alignment.weights && tide_draw(&best.alignment, TIDE_PHARAOH, &links))
            throw std::runtime_error("no links");
        const Owned<char> held(links);
        std::cout << best.text << " ||| " << (links ? links : "") << '\n';
    }
    return 0;
} catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
}
